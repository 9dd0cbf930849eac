// The gallery's themes: usual ones, and a careless one that the form must survive.

import { FIELD_THEME_KEYS } from "../../generated/rules.ts";

const field = (colors: Record<string, string>) =>
  Object.fromEntries([...Object.values(FIELD_THEME_KEYS), "savedCards"].map((name) => [name, colors]));

/** `customStyle` by name. */
export const THEMES: Readonly<Record<string, object>> = {
  default: {},
  floating: { children: { cardForm: { labelStyle: "floating" } } },
  /** Dark inputs on a light page: their labels stand on the page. */
  "dark inputs": {
    children: {
      cardForm: {
        children: field({ backgroundColor: "#1f2937", textColor: "#f9fafb", borderColor: "#1f2937" }),
      },
    },
  },
  /** A brand's own colors, everything set. */
  violet: {
    backgroundColor: "#f5f3ff",
    padding: "0.75rem",
    children: {
      payButton: { backgroundColor: "#6d28d9", textColor: "#ffffff" },
      cardForm: {
        fontFamily: "Georgia, serif",
        borderRadius: "0",
        inputHeight: "3rem",
        titleColor: "#4c1d95",
        errorColor: "#9d174d",
        children: {
          ...field({ labelColor: "#5b21b6", borderColor: "#8b5cf6", focusBorderColor: "#6d28d9" }),
          cardCheckbox: {
            backgroundColor: "#ede9fe",
            textColor: "#4c1d95",
            borderColor: "#6d28d9",
            activeBackgroundColor: "#6d28d9",
            deActiveBackgroundColor: "#ffffff",
            checkBoxBorderWidth: "2px",
          },
        },
      },
    },
  },
  /** Text too small, corners too round, colors too pale. */
  careless: {
    children: {
      cardForm: {
        fontSize: "9px",
        borderRadius: "40px",
        inputHeight: "1.25rem",
        errorColor: "#ffb3b3",
        children: field({ labelColor: "#eeeeee", textColor: "#dddddd", placeholderColor: "#f4f4f4" }),
      },
    },
  },
};
