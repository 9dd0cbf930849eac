// Every key of `customStyle` with the kind of its value. The types below fail to compile when one is missing, and a test
// compares the list with the keys that the server reads.

import type { CustomStyle } from "@cardform/js";

type Leaf = string | number | readonly unknown[];

/** The paths of everything in `Style` that is not an object: `children.cardForm.titleColor`. */
type PathsOf<Style> = {
  [Key in keyof Style & string]-?: NonNullable<Style[Key]> extends Leaf
    ? Key
    : `${Key}.${PathsOf<NonNullable<Style[Key]>>}`;
}[keyof Style & string];

/** The path of a key of `customStyle`. */
export type TokenPath = PathsOf<CustomStyle>;

/** What a key's value is. */
export type TokenKind = "color" | "length" | "lengths" | "font-family" | "weight" | "label-style" | "fonts";

interface Token {
  readonly path: TokenPath;
  readonly kind: TokenKind;
}

/** Every key, in the order of the editor. */
export const TOKENS = [
  { path: "padding", kind: "lengths" },
  { path: "backgroundColor", kind: "color" },
  { path: "fonts", kind: "fonts" },
  { path: "children.cardForm.fontFamily", kind: "font-family" },
  { path: "children.cardForm.fontSize", kind: "length" },
  { path: "children.cardForm.fontWeight", kind: "weight" },
  { path: "children.cardForm.borderRadius", kind: "length" },
  { path: "children.cardForm.inputHeight", kind: "length" },
  { path: "children.cardForm.verticalSpacing", kind: "length" },
  { path: "children.cardForm.horizontalSpacing", kind: "length" },
  { path: "children.cardForm.labelStyle", kind: "label-style" },
  { path: "children.cardForm.titleColor", kind: "color" },
  { path: "children.cardForm.errorColor", kind: "color" },
  { path: "children.cardForm.backgroundColor", kind: "color" },
  { path: "children.cardForm.children.cardNumber.backgroundColor", kind: "color" },
  { path: "children.cardForm.children.cardNumber.textColor", kind: "color" },
  { path: "children.cardForm.children.cardNumber.labelColor", kind: "color" },
  { path: "children.cardForm.children.cardNumber.borderColor", kind: "color" },
  { path: "children.cardForm.children.cardNumber.focusBorderColor", kind: "color" },
  { path: "children.cardForm.children.cardNumber.placeholderColor", kind: "color" },
  { path: "children.cardForm.children.cardExpiry.backgroundColor", kind: "color" },
  { path: "children.cardForm.children.cardExpiry.textColor", kind: "color" },
  { path: "children.cardForm.children.cardExpiry.labelColor", kind: "color" },
  { path: "children.cardForm.children.cardExpiry.borderColor", kind: "color" },
  { path: "children.cardForm.children.cardExpiry.focusBorderColor", kind: "color" },
  { path: "children.cardForm.children.cardExpiry.placeholderColor", kind: "color" },
  { path: "children.cardForm.children.cardSecurityCode.backgroundColor", kind: "color" },
  { path: "children.cardForm.children.cardSecurityCode.textColor", kind: "color" },
  { path: "children.cardForm.children.cardSecurityCode.labelColor", kind: "color" },
  { path: "children.cardForm.children.cardSecurityCode.borderColor", kind: "color" },
  { path: "children.cardForm.children.cardSecurityCode.focusBorderColor", kind: "color" },
  { path: "children.cardForm.children.cardHolderName.backgroundColor", kind: "color" },
  { path: "children.cardForm.children.cardHolderName.textColor", kind: "color" },
  { path: "children.cardForm.children.cardHolderName.labelColor", kind: "color" },
  { path: "children.cardForm.children.cardHolderName.borderColor", kind: "color" },
  { path: "children.cardForm.children.cardHolderName.focusBorderColor", kind: "color" },
  { path: "children.cardForm.children.cardHolderEmail.backgroundColor", kind: "color" },
  { path: "children.cardForm.children.cardHolderEmail.textColor", kind: "color" },
  { path: "children.cardForm.children.cardHolderEmail.labelColor", kind: "color" },
  { path: "children.cardForm.children.cardHolderEmail.borderColor", kind: "color" },
  { path: "children.cardForm.children.cardHolderEmail.focusBorderColor", kind: "color" },
  { path: "children.cardForm.children.savedCards.backgroundColor", kind: "color" },
  { path: "children.cardForm.children.savedCards.textColor", kind: "color" },
  { path: "children.cardForm.children.savedCards.labelColor", kind: "color" },
  { path: "children.cardForm.children.savedCards.borderColor", kind: "color" },
  { path: "children.cardForm.children.savedCards.focusBorderColor", kind: "color" },
  { path: "children.cardForm.children.cardCheckbox.backgroundColor", kind: "color" },
  { path: "children.cardForm.children.cardCheckbox.textColor", kind: "color" },
  { path: "children.cardForm.children.cardCheckbox.labelColor", kind: "color" },
  { path: "children.cardForm.children.cardCheckbox.borderColor", kind: "color" },
  { path: "children.cardForm.children.cardCheckbox.focusBorderColor", kind: "color" },
  { path: "children.cardForm.children.cardCheckbox.activeBackgroundColor", kind: "color" },
  { path: "children.cardForm.children.cardCheckbox.deActiveBackgroundColor", kind: "color" },
  { path: "children.cardForm.children.cardCheckbox.checkMarkColor", kind: "color" },
  { path: "children.cardForm.children.cardCheckbox.checkBoxBorderWidth", kind: "length" },
  { path: "children.payButton.backgroundColor", kind: "color" },
  { path: "children.payButton.textColor", kind: "color" },
] as const satisfies readonly Token[];

type Missing = Exclude<TokenPath, (typeof TOKENS)[number]["path"]>;

/** Compiles only while no key is missing from the list. */
export const NO_TOKEN_IS_MISSING: [Missing] extends [never] ? true : Missing = true;

/** The kinds by path. */
export const KINDS = new Map<string, TokenKind>(TOKENS.map(({ path, kind }) => [path, kind]));

/** The five fields and the saved cards, which mostly look alike. */
export const FIELD_PARTS = [
  "cardNumber",
  "cardExpiry",
  "cardSecurityCode",
  "cardHolderName",
  "cardHolderEmail",
  "savedCards",
] as const;

/** What all fields have. Only card number and expiry have a placeholder color. */
export const FIELD_KEYS = [
  "backgroundColor",
  "textColor",
  "labelColor",
  "borderColor",
  "focusBorderColor",
  "placeholderColor",
] as const;

export type FieldKey = (typeof FIELD_KEYS)[number];

/** The paths of `key` in all fields. */
export function fieldPaths(key: FieldKey): TokenPath[] {
  return FIELD_PARTS.map((part) => `children.cardForm.children.${part}.${key}`).filter(
    (path): path is TokenPath => KINDS.has(path),
  );
}
