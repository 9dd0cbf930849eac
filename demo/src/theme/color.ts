// Colors, and how much two of them contrast (WCAG 2.2, 1.4.3 and 1.4.11).

/** Red, green and blue from 0 to 255, and opacity from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number];

export const TRANSPARENT: Color = [0, 0, 0, 0];

/** Reads `#rgb`, `#rrggbb` (with or without opacity), `rgb()` and `hsl()`. `byName` reads what else CSS has: `rebeccapurple`. */
export function parseColor(text: string, byName?: (text: string) => string | null): Color | null {
  const value = text.trim().toLowerCase();
  if (value === "transparent") {
    return TRANSPARENT;
  }
  const hex = /^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/.exec(value)?.[1];
  if (hex !== undefined) {
    const full = hex.length < 6 ? Array.from(hex, (digit) => digit + digit).join("") : hex;
    const [red = 0, green = 0, blue = 0, alpha = 255] =
      full.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
    return [red, green, blue, alpha / 255];
  }
  const call = /^(rgb|hsl)a?\(([^()]*)\)$/.exec(value);
  if (call) {
    const parts = (call[2] ?? "").split(/[\s,/]+/).filter(Boolean);
    const numbers = parts.map((part) => Number.parseFloat(part));
    const [one = 0, two = 0, three = 0] = numbers;
    if (parts.length < 3 || parts.length > 4 || numbers.some(Number.isNaN)) {
      return null;
    }
    const alpha = parts[3] === undefined ? 1 : (numbers[3] ?? 1) / (parts[3].endsWith("%") ? 100 : 1);
    const share = (index: number) => (parts[index]?.endsWith("%") ? 2.55 : 1);
    return call[1] === "rgb"
      ? [one * share(0), two * share(1), three * share(2), alpha]
      : [...rgbOfHsl(one, two / 100, three / 100), alpha];
  }
  const named = byName?.(value);
  return named ? parseColor(named) : null;
}

function rgbOfHsl(hue: number, saturation: number, lightness: number): [number, number, number] {
  const part = (offset: number) => {
    const at = (offset + hue / 30) % 12;
    const strength = saturation * Math.min(lightness, 1 - lightness);
    return 255 * (lightness - strength * Math.max(-1, Math.min(at - 3, 9 - at, 1)));
  };
  return [part(0), part(8), part(4)];
}

/** `#rrggbb`. The opacity is left out. */
export function hexOf([red, green, blue]: Color): string {
  return `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** `color` as it looks on `ground`, which is opaque. */
export function over([red, green, blue, alpha]: Color, ground: Color): Color {
  const mix = (top: number, below: number) => top * alpha + below * (1 - alpha);
  return [mix(red, ground[0]), mix(green, ground[1]), mix(blue, ground[2]), 1];
}

/** From 0, black, to 1, white. */
export function luminance([red, green, blue]: Color): number {
  const linear = (part: number) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** From 1, no contrast, to 21, black on white. Both are opaque. */
export function contrast(one: Color, other: Color): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The share between the strongest and the weakest part, from 0, gray, to 1. */
export function saturation([red, green, blue]: Color): number {
  const most = Math.max(red, green, blue);
  return most === 0 ? 0 : (most - Math.min(red, green, blue)) / most;
}

/** `color` with `share` (0 to 1) of `other`. */
export function mix(color: Color, other: Color, share: number): Color {
  const part = (index: 0 | 1 | 2) => color[index] * (1 - share) + other[index] * share;
  return [part(0), part(1), part(2), 1];
}

const BLACK: Color = [0, 0, 0, 1];
const WHITE: Color = [255, 255, 255, 1];

/** The nearest color on the way to black or white that contrasts with all of `grounds` by `least`; else the better of both. */
export function repaired(color: Color, grounds: readonly Color[], least: number): Color {
  const worst = (tried: Color) => Math.min(...grounds.map((ground) => contrast(tried, ground)));
  const start = over(color, grounds[0] ?? WHITE);
  for (let percent = 0; percent <= 100; percent += 1) {
    for (const target of [BLACK, WHITE]) {
      const tried = mix(start, target, percent / 100);
      const written = parseColor(hexOf(tried));
      if (written && worst(written) >= least) {
        return written;
      }
    }
  }
  return worst(BLACK) >= worst(WHITE) ? BLACK : WHITE;
}
