// Every pair of colors of a theme that must contrast by WCAG AA, with the same grounds as the server's own check
// (`crates/page/src/theme/sheet.rs`). A browser test compares the two.

import { type Color, contrast, hexOf, over, parseColor, repaired, TRANSPARENT } from "./color.ts";
import { DEFAULT_COLORS, type DefaultColor, PANELS } from "./default-colors.ts";
import type { Mode, Theme } from "./theme.ts";
import { FIELD_PARTS, type TokenPath } from "./tokens.ts";

/** The smallest contrast of text. */
const TEXT = 4.5;
/** The smallest contrast of what shows where a control is. */
const CONTROL = 3;

/** The share of the error color in the background of the danger card, as the server mixes it. */
const DANGER_SHARE = 0.1;

/** How often repaired colors are checked again. */
const REPAIR_ROUNDS_MAX = 5;

/** The background of the danger card, which is made from the error color. */
export function dangerCard([red, green, blue]: Color, form: Color): Color {
  return over([red, green, blue, DANGER_SHARE], form);
}

/** Two colors, one seen on the other. */
export interface ContrastPair {
  /** For people: "Labels on the page". */
  readonly name: string;
  /** The keys to change when it fails. */
  readonly paths: readonly TokenPath[];
  readonly color: Color;
  readonly ground: Color;
  readonly ratio: number;
  readonly least: number;
}

const PART_NAMES: Readonly<Record<(typeof FIELD_PARTS)[number] | "cardCheckbox", string>> = {
  cardNumber: "Card number",
  cardExpiry: "Expiry",
  cardSecurityCode: "Security code",
  cardHolderName: "Name",
  cardHolderEmail: "Email",
  savedCards: "Saved cards",
  cardCheckbox: "Checkbox",
};

/** The pairs of `theme` in `mode`. Pairs of several fields with the same colors are one. */
export function contrastPairs(
  theme: Theme,
  mode: Mode,
  byName?: (text: string) => string | null,
): ContrastPair[] {
  const panel = parse(PANELS[mode]) ?? TRANSPARENT;
  function parse(text: string | undefined): Color | null {
    return text ? parseColor(text, byName) : null;
  }
  const own = (path: string) => parse(theme[path as TokenPath]);
  const standard = (name: DefaultColor) => parse(DEFAULT_COLORS[mode][name]) ?? TRANSPARENT;
  const page = over(own("backgroundColor") ?? TRANSPARENT, panel);
  const form = over(own("children.cardForm.backgroundColor") ?? TRANSPARENT, page);
  const floats = theme["children.cardForm.labelStyle"] === "floating";
  const pairs: ContrastPair[] = [];

  function add(name: string, path: string, color: Color, ground: Color, least: number) {
    const seen = over(color, ground);
    pairs.push({
      name,
      paths: [path as TokenPath],
      color: seen,
      ground,
      ratio: contrast(seen, ground),
      least,
    });
  }
  /** A border separates what does not contrast by itself. */
  function borders(part: string, path: string, outside: Color, inside: Color) {
    if (contrast(outside, inside) < CONTROL) {
      const border = own(`${path}.borderColor`) ?? standard("borderColor");
      add(`${part}: border and what is around it`, `${path}.borderColor`, border, outside, CONTROL);
      add(`${part}: border and what is inside`, `${path}.borderColor`, border, inside, CONTROL);
    }
    const focus = own(`${path}.focusBorderColor`) ?? standard("focusBorderColor");
    add(`${part}: border with the focus`, `${path}.focusBorderColor`, focus, outside, CONTROL);
  }

  add(
    "Title",
    "children.cardForm.titleColor",
    own("children.cardForm.titleColor") ?? standard("titleColor"),
    form,
    TEXT,
  );
  const error = own("children.cardForm.errorColor") ?? standard("errorColor");
  add("Errors", "children.cardForm.errorColor", error, form, TEXT);
  const danger = own("children.cardForm.errorColor");
  if (danger !== null) {
    const card = dangerCard(danger, form);
    add("Notice about saved cards", "children.cardForm.errorColor", danger, card, TEXT);
  }
  for (const part of FIELD_PARTS) {
    const path = `children.cardForm.children.${part}`;
    const name = PART_NAMES[part];
    const isList = part === "savedCards";
    const inside = over(own(`${path}.backgroundColor`) ?? standard("backgroundColor"), form);
    const label = own(`${path}.labelColor`) ?? standard("labelColor");
    add(`${name}: label`, `${path}.labelColor`, label, isList || floats ? inside : form, TEXT);
    add(
      `${name}: text`,
      `${path}.textColor`,
      own(`${path}.textColor`) ?? standard("textColor"),
      inside,
      TEXT,
    );
    if (part === "cardNumber" || part === "cardExpiry") {
      const placeholder = own(`${path}.placeholderColor`) ?? standard("placeholderColor");
      add(`${name}: placeholder`, `${path}.placeholderColor`, placeholder, inside, TEXT);
    }
    if (isList) {
      add(`${name}: error`, "children.cardForm.errorColor", error, inside, TEXT);
    }
    borders(name, path, form, inside);
  }
  savedCardCode();
  checkbox();
  const button = own("children.payButton.backgroundColor") ?? standard("payButton");
  const onButton = own("children.payButton.textColor") ?? standard("payButtonText");
  add("Pay button: text", "children.payButton.textColor", onButton, over(button, panel), TEXT);
  return merged(pairs);

  /** The security code of a chosen saved card, which is asked for on that card. */
  function savedCardCode() {
    const part = "Security code of a saved card";
    const path = "children.cardForm.children.cardSecurityCode";
    const list = "children.cardForm.children.savedCards";
    const of = (key: "labelColor" | "textColor" | "borderColor" | "focusBorderColor" | "backgroundColor") =>
      own(`${path}.${key}`) ?? own(`${list}.${key}`) ?? standard(key);
    const card = over(own(`${list}.backgroundColor`) ?? standard("backgroundColor"), form);
    const inside = over(of("backgroundColor"), card);
    add(`${part}: label`, `${path}.labelColor`, of("labelColor"), floats ? inside : card, TEXT);
    add(`${part}: text`, `${path}.textColor`, of("textColor"), inside, TEXT);
    if (contrast(card, inside) < CONTROL) {
      add(`${part}: border and what is around it`, `${path}.borderColor`, of("borderColor"), card, CONTROL);
      add(`${part}: border and what is inside`, `${path}.borderColor`, of("borderColor"), inside, CONTROL);
    }
    add(`${part}: border with the focus`, `${path}.focusBorderColor`, of("focusBorderColor"), card, CONTROL);
  }

  function checkbox() {
    const path = "children.cardForm.children.cardCheckbox";
    const around = over(own(`${path}.backgroundColor`) ?? TRANSPARENT, form);
    const key = own(`${path}.textColor`) ? "textColor" : "labelColor";
    add("Checkbox: text", `${path}.${key}`, own(`${path}.${key}`) ?? standard("labelColor"), around, TEXT);
    const active = own(`${path}.activeBackgroundColor`) ?? standard("activeBackgroundColor");
    add("Checkbox: checked", `${path}.activeBackgroundColor`, active, around, CONTROL);
    const mark = own(`${path}.checkMarkColor`) ?? standard("checkMarkColor");
    add("Checkbox: check mark", `${path}.checkMarkColor`, mark, over(active, around), CONTROL);
    const inactive = own(`${path}.deActiveBackgroundColor`) ?? standard("deActiveBackgroundColor");
    if (/^0(\.0*)?([a-z]*)$/.test(theme[`${path}.checkBoxBorderWidth` as TokenPath]?.trim() || "0px")) {
      add("Checkbox: empty", `${path}.deActiveBackgroundColor`, inactive, around, CONTROL);
      const focus = own(`${path}.focusBorderColor`) ?? standard("focusBorderColor");
      add("Checkbox: border with the focus", `${path}.focusBorderColor`, focus, around, CONTROL);
    } else {
      borders("Checkbox", path, around, over(inactive, around));
    }
  }
}

/** Every weak color of `theme`, replaced by the nearest one that contrasts with all its grounds. */
export function repairedColors(theme: Theme, mode: Mode, byName?: (text: string) => string | null): Theme {
  const values: Record<string, string> = {};
  // The card of a notice is made from the color on it, so another color may have another ground.
  for (let round = 0; round < REPAIR_ROUNDS_MAX; round += 1) {
    const pairs = contrastPairs({ ...theme, ...values }, mode, byName);
    const failed = pairs.filter(({ ratio, least }) => ratio < least);
    for (const { paths, color } of failed) {
      for (const path of paths) {
        const all = pairs.filter((pair) => pair.paths.includes(path));
        const grounds = all.map(({ ground }) => ground);
        values[path] = hexOf(repaired(color, grounds, Math.max(...all.map(({ least }) => least))));
      }
    }
  }
  return values as Theme;
}

/** One pair for all that have the same colors and differ only in their part: "Card number, Expiry: label". */
function merged(pairs: readonly ContrastPair[]): ContrastPair[] {
  const found = new Map<string, ContrastPair>();
  for (const pair of pairs) {
    const [part = "", what] = pair.name.split(": ");
    const key = JSON.stringify([what ?? part, pair.color, pair.ground, pair.least]);
    const known = found.get(key);
    if (known && what !== undefined) {
      const parts = known.name.split(": ")[0];
      found.set(key, {
        ...known,
        name: `${parts}, ${part}: ${what}`,
        paths: [...new Set([...known.paths, ...pair.paths])],
      });
    } else {
      found.set(key, pair);
    }
  }
  return [...found.values()];
}
