// The theme playground names the weak colors that the server would repair, and no others.

import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { expect } from "vitest";

import { contrastPairs } from "../../demo/src/theme/contrast-pairs.ts";
import { PRESETS } from "../../demo/src/theme/presets.ts";
import { customStyleOf, type Mode, type Theme } from "../../demo/src/theme/theme.ts";
import { TOKENS } from "../../demo/src/theme/tokens.ts";
import { test } from "../src/test.ts";

/** A debug server renders some hundred pages. */
const TIMEOUT_MS = 180_000;

const CHECKBOX = "children.cardForm.children.cardCheckbox";

/** The colors of the form. The pay button's is checked on the payment page only, where the server reports nothing of it. */
const FORM_COLORS = new Set<string>(
  TOKENS.filter(({ path, kind }) => kind === "color" && !path.startsWith("children.payButton")).map(
    ({ path }) => path,
  ),
);

/** The keys among `weak` that a merchant sets, sorted. */
function settable(weak: readonly string[]): string[] {
  // The server names the part that shows the error; a merchant sets one color for all.
  const keys = weak.map((key) => key.replace(/\.children\.\w+(\.errorColor)$/, "$1"));
  const found = new Set(keys.filter((key) => FORM_COLORS.has(key)));
  // The server checks the mark on the box's repaired color, the playground on the weak one.
  if (found.has(`${CHECKBOX}.activeBackgroundColor`)) {
    found.delete(`${CHECKBOX}.checkMarkColor`);
  }
  return [...found].sort();
}

/** `fetch` does not send `sec-fetch-…` headers. */
async function getText(address: URL, headers: Record<string, string>): Promise<string> {
  const [response] = (await once(get(address, { headers }), "response")) as [IncomingMessage];
  return text(response);
}

async function repairedByServer(frame: string, theme: Theme, mode: Mode): Promise<string[]> {
  const address = new URL(frame);
  address.searchParams.set("customStyle", JSON.stringify(customStyleOf(theme)));
  address.searchParams.set("options", JSON.stringify({ contrast: "AA", color_mode: mode }));
  // As a browser asks for a frame. The payment page has a panel of its own.
  const html = await getText(address, { "sec-fetch-dest": "iframe" });
  const report = /"repaired":(\[[^\]]*\])/.exec(html)?.[1] ?? "[]";
  return settable((JSON.parse(report) as { readonly key: string }[]).map(({ key }) => key));
}

function namedByPlayground(theme: Theme, mode: Mode): string[] {
  const weak = contrastPairs(theme, mode).filter(({ ratio, least }) => ratio < least);
  return settable(weak.flatMap(({ paths }) => paths));
}

/** Each color of `theme` by itself made so light, so dark and so gray that something does not contrast. */
function variants(theme: Theme): Theme[] {
  const colors = ["#fdfdfd", "#12161c", "#80848a"];
  return [...FORM_COLORS].flatMap((path) => colors.map((color) => ({ ...theme, [path]: color })));
}

/** What differs from `theme`, for a failure's message. */
function changes(variant: Theme, theme: Theme): string {
  const keys = Object.keys(variant) as (keyof Theme)[];
  return JSON.stringify(keys.filter((key) => variant[key] !== theme[key]).map((key) => [key, variant[key]]));
}

test("the playground names what the server repairs", { timeout: TIMEOUT_MS }, async ({ service }) => {
  const { payload } = await service.merchant.createCharge();
  const frame = `${service.url}/?payload=${encodeURIComponent(payload)}`;
  const weak = new Set<string>();
  for (const { name, themes } of PRESETS.slice(0, 2)) {
    for (const mode of ["light", "dark"] as const) {
      const theme = themes[mode];
      if (theme === undefined) {
        continue;
      }
      expect(await repairedByServer(frame, theme, mode), `${name}, ${mode}`).toEqual([]);
      // With a border the box is checked in another way, and without a text color the label color is used.
      const { [`${CHECKBOX}.textColor`]: words = "", ...others } = theme;
      const bordered = {
        ...others,
        [`${CHECKBOX}.labelColor`]: words,
        [`${CHECKBOX}.checkBoxBorderWidth`]: "2px",
      };
      for (const base of [theme, bordered]) {
        for (const variant of variants(base)) {
          const named = namedByPlayground(variant, mode);
          expect(named, `${name}, ${mode}: ${changes(variant, theme)}`).toEqual(
            await repairedByServer(frame, variant, mode),
          );
          for (const path of named) {
            weak.add(path);
          }
        }
      }
    }
  }
  // Every color but the backgrounds was the weak one at least once.
  const never = [...FORM_COLORS].filter((path) => !weak.has(path) && !path.endsWith("ackgroundColor"));
  expect(never).toEqual([]);
});
