// The theme playground's presets and links, without a browser.

import { describe, expect } from "vitest";

import { PRESETS } from "../../demo/src/theme/presets.ts";
import { linkOf, type Mode, pairOfLink, type Theme } from "../../demo/src/theme/theme.ts";
import { test } from "../src/test.ts";
import { EVERY_KEY, keysOf, withEveryValue } from "../src/theme-keys.ts";

describe("presets", () => {
  test("there are eight, and all but one have a light and a dark theme", () => {
    expect(PRESETS).toHaveLength(8);
    expect(PRESETS.filter(({ themes }) => themes.light && themes.dark)).toHaveLength(7);
  });

  const themes = PRESETS.flatMap(({ name, themes }) =>
    (Object.entries(themes) as [Mode, Theme][]).map(([mode, theme]) => ({ name, mode, theme })),
  );
  test.for(themes)("$name passes WCAG AA in $mode mode", async ({ mode, theme }, { service }) => {
    const asked = new URLSearchParams({ customStyle: JSON.stringify(theme), mode });
    const report = await (await fetch(`${service.url}/demo/theme-report?${asked}`)).json();
    expect(report).toEqual({ unusable: false, dropped: [], notes: [], repaired: [] });
  });

  test.for(themes)("$name sets every color of a field in $mode mode", ({ theme }) => {
    const optional =
      /^backgroundColor$|cardForm\.backgroundColor$|cardCheckbox\.(backgroundColor|labelColor)$/;
    const set = new Set(keysOf(theme));
    const colors = keysOf(EVERY_KEY).filter((key) => key.endsWith("Color") && !optional.test(key));
    expect(colors.filter((key) => !set.has(key))).toEqual([]);
  });
});

describe("links", () => {
  test("a link has the whole theme, also with every key set", () => {
    const full = withEveryValue(EVERY_KEY, "ü");
    const link = linkOf({ light: full, dark: {} }, "dark");
    expect(link).toMatch(/^[\w-]+$/);
    expect(pairOfLink(`#${link}`)).toEqual({ pair: { light: full, dark: {} }, mode: "dark" });
  });

  test.for(["", "#", "#%%%", "#e30", `#${btoa('{"light":1,"dark":{"children":"x"}}')}`])(
    "the fragment %j is ignored",
    (fragment) => {
      expect(pairOfLink(fragment)).toBeNull();
    },
  );
});
