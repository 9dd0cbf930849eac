// A theme as the editor has it: one text for each key that is set. And its two other forms: `customStyle`, and the text in
// the page's address.

import type { CustomStyle } from "@cardform/js";
import { KINDS, TOKENS, type TokenPath } from "./tokens.ts";

/** The values by path. What is absent has the default theme's value. */
export type Theme = Readonly<Partial<Record<TokenPath, string>>>;

export type Mode = "light" | "dark";

/** A theme for each color mode. */
export type ThemePair = Readonly<Record<Mode, Theme>>;

/** The longest value that is read from a link, in characters. */
const VALUE_CHARACTERS_MAX = 2_000;

/** The theme as the SDK takes it. */
export function customStyleOf(theme: Theme): CustomStyle {
  const style: Record<string, unknown> = {};
  for (const { path, kind } of TOKENS) {
    const text = theme[path]?.trim();
    if (!text) {
      continue;
    }
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    let part = style;
    for (const key of keys) {
      part[key] ??= {};
      part = part[key] as Record<string, unknown>;
    }
    const value = kind === "fonts" ? jsonOf(text) : text;
    if (value !== undefined) {
      part[last] = value;
    }
  }
  return style as CustomStyle;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The editor's form of a `customStyle`. What is not a key is left out. */
export function themeOf(style: unknown): Theme {
  const theme: Partial<Record<TokenPath, string>> = {};
  for (const { path } of TOKENS) {
    let value = style;
    for (const key of path.split(".")) {
      value =
        typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
    }
    const text = KINDS.get(path) === "fonts" && value !== undefined ? JSON.stringify(value) : value;
    if ((typeof text === "string" || typeof text === "number") && `${text}`.length <= VALUE_CHARACTERS_MAX) {
      theme[path] = `${text}`;
    }
  }
  return theme;
}

/** The pair as it stands in a link, after `#`. */
export function linkOf(pair: ThemePair, mode: Mode): string {
  const json = JSON.stringify({ mode, light: customStyleOf(pair.light), dark: customStyleOf(pair.dark) });
  const bytes = Array.from(new TextEncoder().encode(json), (byte) => String.fromCharCode(byte)).join("");
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The pair in a link, or null if it is not one of ours. */
export function pairOfLink(fragment: string): { readonly pair: ThemePair; readonly mode: Mode } | null {
  try {
    const bytes = atob(fragment.replace(/^#/, "").replaceAll("-", "+").replaceAll("_", "/"));
    const read: unknown = JSON.parse(
      new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0))),
    );
    if (typeof read !== "object" || read === null || !("light" in read) || !("dark" in read)) {
      return null;
    }
    const mode = "mode" in read && read.mode === "dark" ? "dark" : "light";
    return { pair: { light: themeOf(read.light), dark: themeOf(read.dark) }, mode };
  } catch {
    return null;
  }
}
