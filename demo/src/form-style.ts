// The form's look in this shop, light and dark, so that it sits in the page as if it were part of it.

import type { CustomStyle, PlaceholderPartStyle } from "@cardform/react";

/** The colour scheme that a form was opened in. */
export type Scheme = "light" | "dark";

/** The scheme that the shopper's system has now. */
export function currentScheme(): Scheme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** The theme for a form in this scheme. */
export function formStyle(scheme: Scheme): CustomStyle {
  const { surface, field } = COLOURS[scheme];
  return {
    padding: "0",
    backgroundColor: surface,
    children: {
      cardForm: {
        backgroundColor: surface,
        fontFamily: "system-ui, sans-serif",
        fontSize: "0.875rem",
        borderRadius: "0.625rem",
        titleColor: field.labelColor,
        children: {
          cardNumber: field,
          cardExpiry: field,
          cardSecurityCode: field,
          cardHolderName: field,
          cardHolderEmail: field,
        },
      },
    },
  };
}

/** The same colours as in `shop.css`. */
const COLOURS = {
  light: {
    surface: "#FFFFFF",
    field: {
      backgroundColor: "#FFFFFF",
      labelColor: "#5B5772",
      borderColor: "#8C88A3",
      focusBorderColor: "#4F3FD8",
      textColor: "#1E1B2E",
      placeholderColor: "#716D88",
    },
  },
  dark: {
    surface: "#1C1927",
    field: {
      backgroundColor: "#262236",
      labelColor: "#B9B4CE",
      borderColor: "#7F7A99",
      focusBorderColor: "#A99CFF",
      textColor: "#F2F0FA",
      placeholderColor: "#9C97B5",
    },
  },
} as const satisfies Record<Scheme, { surface: string; field: Required<PlaceholderPartStyle> }>;
