// A theme for each color mode, in the SDK's format, and the link that contains both.

import type { CustomStyle } from "@cardform/js";

export type Theme = CustomStyle;

export type Mode = "light" | "dark";

/** A theme for each color mode. */
export type ThemePair = Readonly<Record<Mode, Theme>>;

export function jsonOf(theme: Theme): string {
  return JSON.stringify(theme, null, 2);
}

/** The theme in a JSON text; null if the text is not the JSON of an object. */
export function themeOf(json: string): Theme | null {
  try {
    const read: unknown = JSON.parse(json);
    return isObject(read) ? read : null;
  } catch {
    return null;
  }
}

/** The pair as a link has it after `#`. */
export function linkOf({ light, dark }: ThemePair, mode: Mode): string {
  const json = JSON.stringify({ mode, light, dark });
  const bytes = Array.from(new TextEncoder().encode(json), (byte) => String.fromCharCode(byte)).join("");
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The pair in a link, or null if it is not one of ours. */
export function pairOfLink(fragment: string): { readonly pair: ThemePair; readonly mode: Mode } | null {
  try {
    const bytes = atob(fragment.replace(/^#/, "").replaceAll("-", "+").replaceAll("_", "/"));
    const read = themeOf(new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0))));
    const { mode, light, dark } = (read ?? {}) as Readonly<Record<string, unknown>>;
    return isObject(light) && isObject(dark)
      ? { pair: { light, dark }, mode: mode === "dark" ? "dark" : "light" }
      : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
