// The form's theme in this shop, so that it looks like a part of the page.

import type { CustomStyle, PlaceholderPartStyle } from "@cardform/react";

/** The two looks of the page. */
export type PageLook = "light" | "dark";

/** The look that the page has now. */
export function colorMode(): PageLook {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

interface Palette {
  readonly field: Required<PlaceholderPartStyle>;
  readonly title: string;
  readonly accent: string;
  readonly onAccent: string;
}

/** The colors of `look/ground.css`: an input is sunken, its label soft ink, its border the strong line. */
const PALETTES: Readonly<Record<PageLook, Palette>> = {
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

/** The form's look in each look of the page. */
export const FORM_STYLES: Readonly<Record<PageLook, CustomStyle>> = {
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
