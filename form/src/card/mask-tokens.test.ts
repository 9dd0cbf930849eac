// The three tokens of input masks (docs/rules.md#masks).

import { expect, it } from "vitest";
import { capacity, fill } from "./mask-tokens.ts";

it.each([
  ["#### ####", "4242", "4242"],
  ["#### ####", "42424", "4242 4"],
  ["#### ####", "4242424242", "4242 4242"],
  ["##", "a4b2", "42"],
  ["@@", "1ñ2é", "ñé"],
  ["@@@", "𠮷1田", "𠮷田"],
  ["**-**", "a1b2", "a1-b2"],
  ["**", "-a_1", "a1"],
  ["(##) @", "12x", "(12) x"],
  ["##", "", ""],
  ["-", "1", ""],
  ["", "1", ""],
])("the mask %s shows %s as %s", (mask, text, shown) => {
  expect(fill(mask, text)).toBe(shown);
});

it("counts its tokens only", () => {
  expect(capacity("#### #### ###")).toBe(11);
  expect(capacity("(##) @*")).toBe(4);
});
