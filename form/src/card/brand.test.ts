// Which brands are shown beside the card number (docs/rules.md#brand-detection).

import { expect, it } from "vitest";
import { DEFAULT_AVAILABLE_BRANDS } from "../../generated/rules.ts";
import { brandsToShow } from "./brand.ts";

const names = (...brands: ReturnType<typeof brandsToShow>) => brands.map((brand) => brand.name);

it("shows the configured brands under four digits", () => {
  expect(names(...brandsToShow("", DEFAULT_AVAILABLE_BRANDS))).toEqual(["visa", "mastercard"]);
  expect(names(...brandsToShow("424", DEFAULT_AVAILABLE_BRANDS))).toEqual(["visa", "mastercard"]);
  expect(names(...brandsToShow("37", ["mada", "visa"]))).toEqual(["visa", "mada"]);
  expect(names(...brandsToShow("37", []))).toEqual([]);
});

it("shows the brand that four digits tell, whatever is available", () => {
  expect(names(...brandsToShow("4242", []))).toEqual(["visa"]);
  expect(names(...brandsToShow("3782 82", ["visa"]))).toEqual(["american-express"]);
});

it("shows none when four digits tell none", () => {
  expect(brandsToShow("9999", [])).toEqual([]);
});
