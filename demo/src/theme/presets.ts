// Themes to start from. Each passes WCAG AA, which a test asks the server.

import type { CustomStyle } from "@cardform/js";
import type { Mode, Theme, ThemePair } from "./theme.ts";

/** A theme with a name, for the modes in which it makes sense. */
export interface Preset {
  readonly name: string;
  readonly themes: Readonly<Partial<Record<Mode, Theme>>>;
}

/** The colors that a brand mostly has. */
interface ThemePalette {
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

/** The padding of the page, and the sizes and fonts of the form. */
type Shape = Pick<CustomStyle, "padding"> & NonNullable<CustomStyle["children"]>["cardForm"];

function preset(name: string, shape: Shape, light: ThemePalette | null, dark: ThemePalette): Preset {
  return {
    name,
    themes: { ...(light && { light: paletteTheme(light, shape) }), dark: paletteTheme(dark, shape) },
  };
}

/** The theme with these colors and this shape. */
function paletteTheme(palette: ThemePalette, { padding, ...shape }: Shape): Theme {
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

export const PRESETS: readonly Preset[] = [
  preset(
    "Daylight",
    { borderRadius: "0.5rem", inputHeight: "2.75rem" },
    {
      field: "#ffffff",
      ink: "#0f172a",
      label: "#475569",
      placeholder: "#64748b",
      border: "#7c8aa0",
      accent: "#1d4ed8",
      onAccent: "#ffffff",
      error: "#b42318",
    },
    {
      field: "#0b1220",
      ink: "#f1f5f9",
      label: "#b6c2d4",
      placeholder: "#8a99b0",
      border: "#75849b",
      accent: "#8fb4ff",
      onAccent: "#0b1220",
      error: "#ffa198",
    },
  ),
  preset(
    "Larkspur",
    {
      borderRadius: "0.75rem",
      inputHeight: "2.875rem",
      fontSize: "0.9375rem",
    },
    {
      field: "#faf9ff",
      ink: "#1e1b2e",
      label: "#5b5772",
      placeholder: "#716d88",
      border: "#8a82b8",
      accent: "#4f3fd8",
      onAccent: "#ffffff",
      error: "#b3261e",
    },
    {
      field: "#15131e",
      ink: "#f2f0fa",
      label: "#b9b4ce",
      placeholder: "#948fae",
      border: "#7f7a99",
      accent: "#a99cff",
      onAccent: "#171226",
      error: "#ff9d94",
    },
  ),
  preset(
    "Ink",
    {
      borderRadius: "0px",
      inputHeight: "2.75rem",
      fontFamily: "Georgia, serif",
      fontSize: "1rem",
      fontWeight: "400",
    },
    {
      field: "#ffffff",
      ink: "#000000",
      label: "#333333",
      placeholder: "#6b6b6b",
      border: "#1a1a1a",
      accent: "#000000",
      onAccent: "#ffffff",
      error: "#a80000",
    },
    {
      field: "#000000",
      ink: "#ffffff",
      label: "#d6d6d6",
      placeholder: "#9a9a9a",
      border: "#c9c9c9",
      accent: "#ffffff",
      onAccent: "#000000",
      error: "#ff9a9a",
    },
  ),
  preset(
    "Fern",
    { borderRadius: "0.625rem", inputHeight: "2.75rem" },
    {
      field: "#f4f8f4",
      ink: "#12291d",
      label: "#3f5a4a",
      placeholder: "#5c7466",
      border: "#6d8a79",
      accent: "#17693f",
      onAccent: "#ffffff",
      error: "#a8321e",
    },
    {
      field: "#0c1a13",
      ink: "#eaf5ee",
      label: "#a9c6b5",
      placeholder: "#84a392",
      border: "#6c8c7a",
      accent: "#6ee0a0",
      onAccent: "#072113",
      error: "#ffa48f",
    },
  ),
  preset(
    "Clay",
    {
      padding: "1rem",
      borderRadius: "0.375rem",
      inputHeight: "2.75rem",
      verticalSpacing: "0.625rem",
    },
    {
      page: "#fbf3ea",
      field: "#fffdf9",
      ink: "#3a2013",
      label: "#6f4a35",
      placeholder: "#86674f",
      border: "#a3795c",
      accent: "#a63d12",
      onAccent: "#ffffff",
      error: "#b0122b",
    },
    {
      page: "#231711",
      field: "#2f2018",
      ink: "#fbeee2",
      label: "#dcbba2",
      placeholder: "#b99a84",
      border: "#a4836c",
      accent: "#ffab7a",
      onAccent: "#2b1206",
      error: "#ff9fa5",
    },
  ),
  preset(
    "Harbor",
    {
      labelStyle: "floating",
      borderRadius: "0.5rem",
      inputHeight: "3.25rem",
    },
    {
      field: "#ffffff",
      ink: "#082f3a",
      label: "#3d626d",
      placeholder: "#5a7a84",
      border: "#668b96",
      accent: "#0b6b80",
      onAccent: "#ffffff",
      error: "#b3261e",
    },
    {
      field: "#0a1d24",
      ink: "#e8f6fa",
      label: "#a4c6d0",
      placeholder: "#82a5af",
      border: "#64909c",
      accent: "#62d4ea",
      onAccent: "#05222a",
      error: "#ffa198",
    },
  ),
  preset(
    "Rosewood",
    {
      borderRadius: "1.375rem",
      inputHeight: "2.75rem",
      horizontalSpacing: "0.75rem",
    },
    {
      field: "#fff7f9",
      ink: "#3b0f20",
      label: "#74384f",
      placeholder: "#8e5a6d",
      border: "#b5728a",
      accent: "#b01e55",
      onAccent: "#ffffff",
      error: "#a61b1b",
    },
    {
      field: "#240d16",
      ink: "#ffeaf1",
      label: "#e3b3c4",
      placeholder: "#bd8b9d",
      border: "#a8778a",
      accent: "#ff9dbd",
      onAccent: "#360617",
      error: "#ffab9e",
    },
  ),
  preset(
    "Midnight",
    {
      padding: "1rem",
      borderRadius: "0.625rem",
      inputHeight: "2.875rem",
      fontWeight: "400",
    },
    null,
    {
      page: "#070b1a",
      field: "#0f1630",
      ink: "#eef2ff",
      label: "#aab6e0",
      placeholder: "#8592c0",
      border: "#6573a8",
      accent: "#5eead4",
      onAccent: "#04211d",
      error: "#ff9ba6",
    },
  ),
];

/** The themes of a preset. One that is dark only looks the same in both modes. */
export function pairOf(index: number): ThemePair {
  const { light, dark } = PRESETS[index]?.themes ?? {};
  return { light: light ?? dark ?? {}, dark: dark ?? light ?? {} };
}
