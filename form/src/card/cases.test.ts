// Runs `cases/*.json`, which the Rust rules run too, through the rules of the form.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LOCALES } from "../../generated/locales.ts";
import { BRANDS, type BrandName, ERROR_IDS, type ErrorId, LIMITS } from "../../generated/rules.ts";
import { brandNamed, detectBrand, usualLengthOf } from "./brand.ts";
import { type FieldContext, type FieldExperiments, type FieldName, judge } from "./field.ts";
import { judgeNumber } from "./number.ts";

interface FieldCase {
  rule: string;
  text: string;
  verdict: "valid" | "empty" | "incomplete" | "wrong";
  error?: ErrorId;
  experiments?: Partial<FieldExperiments>;
  brand?: BrandName;
  country?: string;
}

interface FieldCases {
  field: FieldName;
  context: FieldContext;
  cases: FieldCase[];
}

interface BrandCases {
  table: {
    brand: string;
    lengths: number[];
    usualLength: number;
    securityCodeLength: number;
    prefix: string | null;
  }[];
  detection: { rule: string; text: string; brand: string | null }[];
  usualLength: { rule: string; text: string; length: number }[];
}

interface LocaleCases {
  table: { rule: string; code: string; iso: string; dir: string; language: string; file: string }[];
}

const DIRECTORY = new URL("../../../cases/", import.meta.url);
const TABLES = ["brand.json", "locale.json", "nearest-locale.json", "origins.json"];
const FIELDS = readdirSync(DIRECTORY).filter((name) => !TABLES.includes(name));

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, DIRECTORY), "utf8")) as T;
}

function contextOf(file: FieldCases, one: FieldCase): FieldContext {
  const brand = one.brand ? brandNamed(one.brand) : null;
  const { country = "DE" } = one;
  return {
    ...file.context,
    experiments: { ...file.context.experiments, ...one.experiments },
    brand,
    country,
  };
}

it("finds the cases of all six fields", () => {
  const names = FIELDS.map((name) => read<FieldCases>(name).field).sort();
  expect(names).toEqual([
    "cardHolderEmail",
    "cardHolderName",
    "cardNumber",
    "cardPostalCode",
    "expiry",
    "security",
  ]);
});

describe.each(FIELDS)("%s", (name) => {
  const file = read<FieldCases>(name);
  it.each(file.cases)("$rule: $text", (one) => {
    const expected = one.error ? { kind: one.verdict, errorId: one.error } : { kind: one.verdict };
    expect(judge(file.field, one.text, contextOf(file, one))).toEqual(expected);
  });
});

it("has a case for every error id", () => {
  const proven = FIELDS.flatMap((name) => read<FieldCases>(name).cases).flatMap((one) => one.error ?? []);
  expect(new Set(proven)).toEqual(new Set(ERROR_IDS));
});

describe("brand.json", () => {
  const { table, detection, usualLength } = read<BrandCases>("brand.json");

  it("the table of brands", () => {
    const rows = table.map(({ brand: name, lengths, usualLength, securityCodeLength }) => {
      return { name, lengths, usualLength, securityCodeLength };
    });
    const brands = BRANDS.map(({ name, lengths, usualLength, securityCodeLength }) => {
      const usual = usualLength ?? LIMITS.defaultCardNumberLength;
      return { name, lengths, usualLength: usual, securityCodeLength };
    });
    expect(brands).toEqual(rows);
  });

  it.each(table.filter((row) => row.prefix !== null))("the lengths of $brand", ({ prefix, lengths }) => {
    for (let length = 4; length <= 20; length++) {
      const { kind } = judgeNumber((prefix ?? "").padEnd(length, "0"), false);
      expect(kind === "valid", `${length} digits`).toBe(lengths.includes(length));
    }
  });

  it.each(detection)("$rule: $text", ({ text, brand }) => {
    expect(detectBrand(text)?.name ?? null).toBe(brand);
  });

  it.each(usualLength)("$rule: $text", ({ text, length }) => {
    expect(usualLengthOf(text)).toBe(length);
  });
});

it("the locales", () => {
  const { table } = read<LocaleCases>("locale.json");
  expect(LOCALES).toEqual(table.map(({ rule: _, ...locale }) => locale));
  expect(LOCALES).toHaveLength(31);
});
