// The theme playground's presets, contrast, reading of colors and links, without a browser.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

import { contrastPairs } from "../../demo/src/theme/contrast-pairs.ts";
import { DEFAULT_COLORS, type DefaultColor, PANELS } from "../../demo/src/theme/default-colors.ts";
import { paletteTheme } from "../../demo/src/theme/palette.ts";
import { PRESETS } from "../../demo/src/theme/presets.ts";
import { paletteOf } from "../../demo/src/theme/read-colors.ts";
import {
  customStyleOf,
  linkOf,
  type Mode,
  pairOfLink,
  type Theme,
  themeOf,
} from "../../demo/src/theme/theme.ts";
import { KINDS, TOKENS } from "../../demo/src/theme/tokens.ts";

/** One sentence for each pair of colors under WCAG AA. */
function failures(theme: Theme, mode: Mode): string[] {
  return contrastPairs(theme, mode)
    .filter(({ ratio, least }) => ratio < least)
    .map(({ name, ratio, least }) => `${name}: ${ratio.toFixed(2)} of ${least}`);
}

describe("presets", () => {
  test("there are eight, and all but one have a light and a dark theme", () => {
    expect(PRESETS).toHaveLength(8);
    expect(PRESETS.filter(({ themes }) => themes.light && themes.dark)).toHaveLength(7);
  });

  const themes = PRESETS.flatMap(({ name, themes }) =>
    (Object.entries(themes) as [Mode, Theme][]).map(([mode, theme]) => ({ name, mode, theme })),
  );
  test.each(themes)("$name passes WCAG AA in $mode mode", ({ mode, theme }) => {
    expect(failures(theme, mode)).toEqual([]);
  });

  test.each(themes)("$name sets every color of a field in $mode mode", ({ theme }) => {
    const optional = new Set(["backgroundColor", "children.cardForm.backgroundColor"]);
    const ofCheckbox = /cardCheckbox\.(backgroundColor|labelColor)$/;
    const colors = TOKENS.filter(({ path, kind }) => kind === "color" && !optional.has(path));
    const absent = colors.filter(({ path }) => !ofCheckbox.test(path) && theme[path] === undefined);
    expect(absent).toEqual([]);
  });
});

test("the default colors are those of the page's style sheet", () => {
  const css = readFileSync(new URL("../../form/src/page.css", import.meta.url), "utf8");
  const starts = { light: ":root {", dark: ':root[data-color-mode="dark"] {' };
  const names: Readonly<Record<DefaultColor, string>> = {
    titleColor: "--title",
    backgroundColor: "--input-background",
    labelColor: "--label",
    borderColor: "--border",
    focusBorderColor: "--focus-border",
    textColor: "--text",
    placeholderColor: "--placeholder",
    activeBackgroundColor: "--check-active",
    deActiveBackgroundColor: "--check-inactive",
    checkMarkColor: "--check-mark",
    errorColor: "--error",
    payButton: "--action",
    payButtonText: "--action-ink",
  };
  for (const mode of ["light", "dark"] as const) {
    const block = css.split(starts[mode])[1]?.split("}")[0];
    expect(block).toContain(`--panel: ${PANELS[mode]};`);
    for (const [key, color] of Object.entries(DEFAULT_COLORS[mode])) {
      expect(block).toContain(`${names[key as DefaultColor]}: ${color};`);
    }
  }
});

test("a weak color is found, with its key", () => {
  const path = "children.cardForm.children.cardNumber.textColor";
  const [failed] = contrastPairs({ ...PRESETS[0]?.themes.light, [path]: "#cccccc" }, "light").filter(
    ({ ratio, least }) => ratio < least,
  );
  expect(failed).toMatchObject({ name: "Card number: text", paths: [path], least: 4.5 });
  expect(failed?.ratio).toBeCloseTo(1.6, 1);
});

describe("colors of an existing page", () => {
  test.each([
    [
      "custom properties",
      ":root { --bg: #fffaf0; --text: #222; --primary: #0a7; --border: #ddd; --danger: #c00; --muted: #999 }",
      "light",
    ],
    ["a dark page", "body { background: #101418; color: #e6e6e6 } a { color: hsl(200 90% 60%) }", "dark"],
    ["a list of colors", "#ffffff, #0b3954, #ff6663", "light"],
    ["one weak color", "--brand: #ffe08a", "light"],
  ] as const)("%s become a theme that passes WCAG AA", (_, css, mode) => {
    const palette = paletteOf(css);
    expect(palette).not.toBeNull();
    expect(palette && failures(paletteTheme(palette), mode)).toEqual([]);
  });

  test("names decide what a color is for", () => {
    const palette = paletteOf(
      "--surface: #ffffff; --brand-primary: #6200ee; --text: #111111; --error: #b00020",
    );
    expect(palette).toMatchObject({ field: "#ffffff", accent: "#6200ee", ink: "#111111", error: "#b00020" });
  });

  test("a text without colors is none", () => {
    expect(paletteOf("color: inherit")).toBeNull();
  });
});

describe("links", () => {
  test("a link has the whole theme, also with every key set", () => {
    const values = { fonts: '[{"family":"A","src":"https://a.example/a.woff2"}]' };
    const full: Theme = Object.fromEntries(
      TOKENS.map(({ path, kind }) => [path, kind === "fonts" ? values.fonts : `${path} ü`]),
    );
    const link = linkOf({ light: full, dark: {} }, "dark");
    expect(link).toMatch(/^[\w-]+$/);
    expect(pairOfLink(`#${link}`)).toEqual({ pair: { light: full, dark: {} }, mode: "dark" });
  });

  test.each(["", "#", "#%%%", "#e30", `#${btoa('{"light":1,"dark":{"children":"x"}}')}`])(
    "the fragment %j changes nothing or is ignored",
    (fragment) => {
      const read = pairOfLink(fragment);
      expect(read === null || Object.keys({ ...read.pair.light, ...read.pair.dark }).length === 0).toBe(true);
    },
  );

  test("a customStyle becomes a theme and the same customStyle again", () => {
    for (const { themes } of PRESETS) {
      for (const theme of Object.values(themes)) {
        expect(themeOf(customStyleOf(theme))).toEqual(theme);
      }
    }
    expect(KINDS.size).toBe(TOKENS.length);
  });
});
