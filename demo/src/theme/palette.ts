// Makes a whole theme from a few colors.

import type { Theme } from "./theme.ts";
import { FIELD_KEYS, type FieldKey, fieldPaths, type TokenPath } from "./tokens.ts";

/** The colors that a brand mostly has. */
export interface ThemePalette {
  /** Behind the form. Without it the merchant's page is seen. */
  readonly page?: string;
  /** Inside the inputs. */
  readonly field: string;
  readonly ink: string;
  readonly label: string;
  readonly placeholder: string;
  readonly border: string;
  readonly accent: string;
  readonly onAccent: string;
  readonly error: string;
}

/** The sizes and fonts of a theme. */
export type Shape = Readonly<Partial<Record<TokenPath, string>>>;

/** The theme with these colors and this shape. */
export function paletteTheme(palette: ThemePalette, shape: Shape = {}): Theme {
  const { page, field, ink, label, placeholder, border, accent, onAccent, error } = palette;
  const ofField: Readonly<Record<FieldKey, string>> = {
    backgroundColor: field,
    textColor: ink,
    labelColor: label,
    borderColor: border,
    focusBorderColor: accent,
    placeholderColor: placeholder,
  };
  const checkbox = "children.cardForm.children.cardCheckbox";
  return {
    ...shape,
    ...(page !== undefined && { backgroundColor: page }),
    ...Object.fromEntries(FIELD_KEYS.flatMap((key) => fieldPaths(key).map((path) => [path, ofField[key]]))),
    [`${checkbox}.textColor`]: ink,
    [`${checkbox}.borderColor`]: border,
    [`${checkbox}.focusBorderColor`]: accent,
    [`${checkbox}.activeBackgroundColor`]: accent,
    [`${checkbox}.deActiveBackgroundColor`]: field,
    [`${checkbox}.checkMarkColor`]: onAccent,
    [`${checkbox}.checkBoxBorderWidth`]: "1px",
    "children.cardForm.titleColor": ink,
    "children.cardForm.errorColor": error,
    "children.payButton.backgroundColor": accent,
    "children.payButton.textColor": onAccent,
  };
}
