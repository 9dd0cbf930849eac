import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

import { covers, isAllowed } from "./origins.ts";

interface OriginCases {
  readonly valid: readonly { readonly rule: string; readonly text: string }[];
  readonly covers: readonly {
    readonly rule: string;
    readonly allowed: string;
    readonly origin: string;
    readonly covers: boolean;
  }[];
}

const CASES = JSON.parse(
  readFileSync(new URL("../../../cases/origins.json", import.meta.url), "utf8"),
) as OriginCases;

describe("an allowed origin", () => {
  test.each(CASES.covers)("$rule: $allowed, $origin", ({ allowed, origin, covers: expected }) => {
    expect(covers(allowed, origin)).toBe(expected);
  });

  test.each(CASES.valid.filter(({ text }) => !text.includes("*")))("covers itself: $text", ({ text }) => {
    expect(covers(text, text)).toBe(true);
  });

  test("is never an opaque one", () => {
    expect(isAllowed("null", ["https://shop.example"])).toBe(false);
    expect(isAllowed("null", ["null"])).toBe(false);
  });
});

test("any origin may drive the form unless the merchant names some", () => {
  expect(isAllowed("https://anyone.example", [])).toBe(true);
  expect(isAllowed("https://a.example", ["https://b.example", "https://a.example"])).toBe(true);
  expect(isAllowed("https://anyone.example", ["https://b.example", "https://a.example"])).toBe(false);
});
