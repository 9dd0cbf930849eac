// The theme that makes the form look like a part of the shop's page.

import type { CustomStyle, PlaceholderPartStyle } from "@cardform/react";

/** The page's colors, which follow the browser's setting. */
export type ShopColorMode = "light" | "dark";

/** The color mode that the page has now. */
export function colorMode(): ShopColorMode {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

interface Palette {
  readonly field: Required<PlaceholderPartStyle>;
  readonly title: string;
  readonly accent: string;
  readonly onAccent: string;
}

/** The same colors as in `look/base.css`. */
const PALETTES: Readonly<Record<ShopColorMode, Palette>> = {
  light: {
    field: {
      backgroundColor: "#FFFFFF",
      labelColor: "#5B5772",
      borderColor: "#8C88A3",
      focusBorderColor: "#4F3FD8",
      textColor: "#1E1B2E",
      placeholderColor: "#716D88",
    },
    title: "#1E1B2E",
    accent: "#4F3FD8",
    onAccent: "#FFFFFF",
  },
  dark: {
    field: {
      backgroundColor: "#15131E",
      labelColor: "#B9B4CE",
      borderColor: "#7F7A99",
      focusBorderColor: "#A99CFF",
      textColor: "#F2F0FA",
      placeholderColor: "#8B86A5",
    },
    title: "#F2F0FA",
    accent: "#A99CFF",
    onAccent: "#171226",
  },
};

/** The form's theme for each color mode of the page. */
export const FORM_STYLES: Readonly<Record<ShopColorMode, CustomStyle>> = {
  light: styleOf(PALETTES.light),
  dark: styleOf(PALETTES.dark),
};

function styleOf({ field, title, accent, onAccent }: Palette): CustomStyle {
  return {
    children: {
      cardForm: {
        borderRadius: "0.625rem",
        titleColor: title,
        children: {
          cardNumber: field,
          cardExpiry: field,
          cardSecurityCode: field,
          cardHolderName: field,
          cardHolderEmail: field,
          savedCards: field,
          cardCheckbox: {
            ...field,
            activeBackgroundColor: accent,
            deActiveBackgroundColor: field.backgroundColor,
            checkMarkColor: onAccent,
            checkBoxBorderWidth: "1px",
          },
        },
      },
    },
  };
}
