// Every key of `customStyle`, with a value that is valid. It compiles only while no key is missing.

import type { CustomStyle } from "@cardform/js";

/** The style with every key of every part. */
type Complete<Style> = {
  [Key in keyof Style]-?: NonNullable<Style[Key]> extends string | number | readonly unknown[]
    ? NonNullable<Style[Key]>
    : Complete<NonNullable<Style[Key]>>;
};

const FIELD = {
  backgroundColor: "#ffffff",
  textColor: "#111111",
  labelColor: "#222222",
  borderColor: "#333333",
  focusBorderColor: "#1d4ed8",
};
const WITH_PLACEHOLDER = { ...FIELD, placeholderColor: "#444444" };

export const EVERY_KEY = {
  padding: "0 8px",
  backgroundColor: "#fafafa",
  fonts: [{ family: "Inter", src: "https://shop.example/inter.woff2" }],
  children: {
    cardForm: {
      fontFamily: "Inter, sans-serif",
      fontSize: "12px",
      fontWeight: "600",
      borderRadius: "12px",
      inputHeight: "44px",
      verticalSpacing: "12px",
      horizontalSpacing: "12px",
      labelStyle: "floating",
      titleColor: "#111111",
      errorColor: "#b42318",
      backgroundColor: "#ffffff",
      children: {
        cardNumber: WITH_PLACEHOLDER,
        cardExpiry: WITH_PLACEHOLDER,
        cardSecurityCode: FIELD,
        cardHolderName: FIELD,
        cardPostalCode: FIELD,
        cardHolderEmail: FIELD,
        savedCards: FIELD,
        cardCheckbox: {
          ...FIELD,
          activeBackgroundColor: "#1d4ed8",
          deActiveBackgroundColor: "#ffffff",
          checkMarkColor: "#ffffff",
          checkBoxBorderWidth: "1px",
        },
      },
    },
    payButton: { backgroundColor: "#1d4ed8", textColor: "#ffffff" },
  },
} as const satisfies Complete<CustomStyle>;

/** The paths of everything in `style` that is no object: `children.cardForm.titleColor`. */
export function keysOf(style: object, start = ""): string[] {
  return Object.entries(style).flatMap(([key, value]) =>
    isPart(value) ? keysOf(value, `${start}${key}.`) : [start + key],
  );
}

/** The same keys, each with this value. */
export function withEveryValue(style: CustomStyle, value: string): CustomStyle {
  const changed = (part: object): object =>
    Object.fromEntries(Object.entries(part).map(([key, old]) => [key, isPart(old) ? changed(old) : value]));
  return changed(style);
}

function isPart(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
