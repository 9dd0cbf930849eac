// Reads the colors of an existing page from its CSS, and makes a palette of them.

import { type Color, contrast, hexOf, luminance, mix, parseColor, repaired, saturation } from "./color.ts";
import { dangerCard } from "./contrast-pairs.ts";
import type { ThemePalette } from "./palette.ts";

/** The longest text that is read, in characters. */
const CHARACTERS_MAX = 200_000;

/** A color of the page, and the property or custom property that it was the value of. */
interface NamedColor {
  readonly name: string;
  readonly color: Color;
}

const DECLARATION = /(--[\w-]+|[\w-]+)\s*:\s*([^;{}\n]+)/g;
const COLOR = /#[\da-f]{3,8}\b|(?:rgb|hsl)a?\([^()]*\)/gi;

/** What names say about a color's use. The first that fits is taken. */
const ROLES = {
  error: /error|danger|destructive|invalid|negative/,
  onAccent: /on-(accent|primary|brand)|(accent|primary|brand|button)-(text|foreground|contrast|ink)/,
  placeholder: /placeholder/,
  label: /muted|secondary-text|text-secondary|soft|label|subtle/,
  border: /border|outline|stroke|line/,
  accent: /accent|primary|brand|link|button|theme/,
  page: /^background(-color)?$|--(bg|background|page|canvas|body)|ground/,
  field: /surface|card|panel|input|field/,
  ink: /^color$|text|foreground|ink|body/,
} as const satisfies Partial<Record<keyof ThemePalette, RegExp>>;

type Role = keyof typeof ROLES;

/** Every color in the text: in declarations with their names, and alone. */
function colorsIn(text: string): NamedColor[] {
  const found: NamedColor[] = [];
  const read = (name: string, value: string) => {
    for (const [written] of value.matchAll(COLOR)) {
      const color = parseColor(written);
      if (color && color[3] > 0.5) {
        found.push({ name: name.toLowerCase(), color });
      }
    }
  };
  const rest = text.slice(0, CHARACTERS_MAX).replace(DECLARATION, (_, name: string, value: string) => {
    read(name, value);
    return "";
  });
  read("", rest);
  return found;
}

/**
 * The palette of a page, from its CSS, its custom properties or a list of colors. Null if there is no color in the text. Each
 * color is changed as little as its contrast needs.
 */
export function paletteOf(text: string): ThemePalette | null {
  const colors = colorsIn(text);
  if (colors.length === 0) {
    return null;
  }
  const byRole = new Map<Role, Color>();
  const rest: Color[] = [];
  for (const { name, color } of colors) {
    const role = (Object.keys(ROLES) as Role[]).find((key) => name !== "" && ROLES[key].test(name));
    if (role === undefined) {
      rest.push(color);
    } else if (!byRole.has(role)) {
      byRole.set(role, color);
    }
  }
  const all = rest.length > 0 ? rest : colors.map(({ color }) => color);
  const byLight = [...all].sort((one, other) => luminance(one) - luminance(other));
  const strongest = [...all].sort((one, other) => saturation(other) - saturation(one))[0];
  const white: Color = [255, 255, 255, 1];
  const black: Color = [17, 24, 39, 1];

  const lightest = byLight.at(-1);
  const page = byRole.get("page") ?? (lightest && luminance(lightest) > 0.6 ? lightest : white);
  const isDark = luminance(page) < 0.18;
  const field = byRole.get("field") ?? mix(page, white, isDark ? 0.06 : 0.6);
  const darkest = byLight[0];
  const inkLike = isDark ? white : darkest && luminance(darkest) < 0.1 ? darkest : black;
  const grounds = [page, field];
  const textual = (color: Color) => repaired(color, grounds, 4.5);
  const control = (color: Color) => repaired(color, grounds, 3);
  const ink = textual(byRole.get("ink") ?? inkLike);
  const accent = control(
    byRole.get("accent") ?? (strongest && saturation(strongest) > 0.2 ? strongest : ink),
  );
  let error = textual(byRole.get("error") ?? (isDark ? [255, 157, 148, 1] : [179, 38, 30, 1]));
  // The card of a notice is made from it, and needs more contrast on a page of middle brightness.
  for (let step = 0; step < 25 && contrast(error, dangerCard(error, page)) < 4.5; step += 1) {
    error = mix(error, isDark ? white : black, 0.04);
  }
  const onAccentLike = byRole.get("onAccent") ?? (contrast(accent, white) >= 4.5 ? white : black);
  return {
    page: hexOf(page),
    field: hexOf(field),
    ink: hexOf(ink),
    label: hexOf(textual(byRole.get("label") ?? mix(ink, page, 0.25))),
    placeholder: hexOf(textual(byRole.get("placeholder") ?? mix(ink, page, 0.4))),
    border: hexOf(control(byRole.get("border") ?? mix(ink, page, 0.5))),
    accent: hexOf(accent),
    onAccent: hexOf(repaired(onAccentLike, [accent], 4.5)),
    error: hexOf(error),
  };
}
