// Themes to start from. Each passes WCAG AA, which a test asks the server. Their colors and shapes are in `presets.json`.

import type { CustomStyle } from "@cardform/js";
import DATA from "./presets.json" with { type: "json" };
import type { Mode, Theme, ThemePair } from "./theme.ts";

/** A theme with a name, for the modes in which it makes sense. */
export interface Preset {
  readonly name: string;
  readonly themes: Readonly<Partial<Record<Mode, Theme>>>;
}

/** The colors that a brand mostly has. */
interface ThemePalette {
  /** Behind the form. Without it the merchant's page is visible. */
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

interface PresetData {
  readonly name: string;
  /** The padding of the page, and the sizes and fonts of the form. */
  readonly shape: Pick<CustomStyle, "padding"> & NonNullable<CustomStyle["children"]>["cardForm"];
  readonly light?: ThemePalette;
  readonly dark: ThemePalette;
}

export const PRESETS: readonly Preset[] = (DATA as readonly PresetData[]).map(
  ({ name, shape, light, dark }) => ({
    name,
    themes: { ...(light && { light: paletteTheme(light, shape) }), dark: paletteTheme(dark, shape) },
  }),
);

/** The theme with these colors and this shape. */
function paletteTheme(palette: ThemePalette, { padding, ...shape }: PresetData["shape"]): Theme {
  const { page, field, ink, label, placeholder, border, accent, onAccent, error } = palette;
  const input = {
    backgroundColor: field,
    textColor: ink,
    labelColor: label,
    borderColor: border,
    focusBorderColor: accent,
  };
  return {
    ...(padding && { padding }),
    ...(page && { backgroundColor: page }),
    children: {
      cardForm: {
        ...shape,
        titleColor: ink,
        errorColor: error,
        children: {
          cardNumber: { ...input, placeholderColor: placeholder },
          cardExpiry: { ...input, placeholderColor: placeholder },
          cardSecurityCode: input,
          cardHolderName: input,
          cardPostalCode: input,
          cardHolderEmail: input,
          savedCards: input,
          cardCheckbox: {
            textColor: ink,
            borderColor: border,
            focusBorderColor: accent,
            activeBackgroundColor: accent,
            deActiveBackgroundColor: field,
            checkMarkColor: onAccent,
            checkBoxBorderWidth: "1px",
          },
        },
      },
      payButton: { backgroundColor: accent, textColor: onAccent },
    },
  };
}

/** The themes of a preset. A preset for dark mode only looks the same in both modes. */
export function pairOf(preset: Preset | undefined): ThemePair {
  const { light, dark } = preset?.themes ?? {};
  return { light: light ?? dark ?? {}, dark: dark ?? light ?? {} };
}
