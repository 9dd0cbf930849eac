// The default theme's colors. A test compares them with `form/src/page.css`.

import type { Mode } from "./theme.ts";

/** What a color is for, named as its key. */
export type DefaultColor = keyof (typeof DEFAULT_COLORS)["light"];

/** What is behind the form if the page does not say. */
export const PANELS: Readonly<Record<Mode, string>> = { light: "#ffffff", dark: "#111827" };

export const DEFAULT_COLORS = {
  light: {
    titleColor: "#3f3c4d",
    backgroundColor: "#ffffff",
    labelColor: "#8b8b8b",
    borderColor: "#949292",
    focusBorderColor: "#002eff",
    textColor: "#3f3c4d",
    placeholderColor: "#dddddd",
    activeBackgroundColor: "#002eff",
    deActiveBackgroundColor: "#949292",
    checkMarkColor: "#ffffff",
    errorColor: "#c01c28",
    payButton: "#15803d",
    payButtonText: "#ffffff",
  },
  dark: {
    titleColor: "#f9fafb",
    backgroundColor: "#1f2937",
    labelColor: "#9ca3af",
    borderColor: "#7d8695",
    focusBorderColor: "#8ea2ff",
    textColor: "#f9fafb",
    placeholderColor: "#6b7280",
    activeBackgroundColor: "#8ea2ff",
    deActiveBackgroundColor: "#7d8695",
    checkMarkColor: "#111827",
    errorColor: "#ff8d8d",
    payButton: "#4ade80",
    payButtonText: "#052e16",
  },
} as const;
