// The code that a merchant copies.

import { jsonOf, type ThemePair } from "./theme.ts";

/** A React component with the theme. If both modes differ, it follows the shopper's. */
export function reactCodeOf(pair: ThemePair): string {
  const [light, dark] = [jsonOf(pair.light), jsonOf(pair.dark)];
  const isOne = light === dark;
  const themes = isOne
    ? `const THEME: CustomStyle = ${light};`
    : `const LIGHT: CustomStyle = ${light};\n\nconst DARK: CustomStyle = ${dark};`;
  const choice = isOne ? "" : '  const dark = matchMedia("(prefers-color-scheme: dark)").matches;\n';
  const properties = isOne
    ? "      customStyle={THEME}"
    : '      customStyle={dark ? DARK : LIGHT}\n      options={{ colorMode: dark ? "dark" : "light" }}';
  return `import { CardForm, type CardFormHandle, type CustomStyle } from "@cardform/react";
import type { Ref } from "react";

${themes}

interface CardPaymentProps {
  readonly url: string;
  readonly payload: string;
  readonly clientSecret: () => Promise<string>;
  readonly formRef: Ref<CardFormHandle>;
}

export function Checkout({ url, payload, clientSecret, formRef }: CardPaymentProps) {
${choice}  return (
    <CardForm
      ref={formRef}
      url={url}
      payload={payload}
      clientSecret={clientSecret}
${properties}
    />
  );
}
`;
}
