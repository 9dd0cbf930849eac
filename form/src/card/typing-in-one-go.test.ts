// Whoever types number, expiry and security code in one burst, without looking, finds each in its own field.

import { describe, expect, it } from "vitest";
import { BRANDS } from "../../generated/rules.ts";
import { CONFIG } from "../../test/driven-form.ts";
import { SIMULATOR_NUMBERS } from "../../test/simulator-numbers.ts";
import { typingShopper } from "../../test/typing-shopper.ts";
import { detectBrand, usualLengthOf } from "./brand.ts";
import { luhnHolds } from "./number.ts";

const NUMBERS_PER_BRAND = 2_000;
/** Two thousand cards take a second; a busy machine takes its time. */
const GENERATED_MS_MAX = 120_000;
/** First digits of numbers that tell no brand: hiper's and hipercard's. */
const UNKNOWN = [
  [6370, 6376],
  [6062, 6062],
] as const;

const EXPERIMENTS = [
  ["under every experiment", CONFIG],
  ["without the Luhn experiment", { ...CONFIG, experiments: { ...CONFIG.experiments, luhn: false } }],
] as const;

/** The same numbers at each run: a linear congruential generator. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A number of the usual length under one of the prefixes, with its check digit where it `hasCheckDigit`. */
function generated(
  prefixes: readonly (readonly [number, number])[],
  below: (n: number) => number,
  hasCheckDigit: boolean,
): string {
  const [first, last] = prefixes[below(prefixes.length)] ?? [0, 0];
  let digits = String(first + below(last - first + 1));
  const length = usualLengthOf(digits);
  while (digits.length < length - 1) digits += below(10);
  const ends = Array.from({ length: 10 }, (_, digit) => digits + digit);
  return (hasCheckDigit ? ends.find(luhnHolds) : ends[below(10)]) ?? "";
}

const CODES: Readonly<Record<number, string>> = { 3: "737", 4: "7373" };
const codeOf = (number: string) => CODES[detectBrand(number)?.securityCodeLength ?? 3] ?? "";

/** Month and year that are valid in November 2026, 20 years ahead at most. */
function expiry(below: (n: number) => number): { typed: string; shown: string } {
  const [month, year] = [1 + below(12), 27 + below(19)].map((part) => String(part).padStart(2, "0"));
  return { typed: `${month}${year}`, shown: `${month} / ${year}` };
}

describe.each(EXPERIMENTS)("a card typed in one burst %s", (_, config) => {
  const brands = BRANDS.filter(({ prefixes }) => prefixes.length > 0).map(({ name, prefixes }) => ({
    name: name as string,
    prefixes,
  }));

  it.each([...brands, { name: "an unknown brand", prefixes: UNKNOWN }])(
    "$name: no number of its usual length ends split",
    ({ prefixes }) => {
      const below = chance(7);
      const ended: unknown[] = [];
      const expected: unknown[] = [];
      for (let count = 0; count < NUMBERS_PER_BRAND; count++) {
        // Without the experiment a number of any check digit is valid.
        const number = generated(prefixes, below, config.experiments.luhn || count % 2 === 0);
        const { typed, shown } = expiry(below);
        ended.push(
          typingShopper(config)
            .type(number + typed + codeOf(number))
            .card(),
        );
        expected.push([number, shown, codeOf(number)]);
      }
      expect(ended).toEqual(expected);
    },
    GENERATED_MS_MAX,
  );

  it("every test number of its usual length ends in its own field", () => {
    const usual = SIMULATOR_NUMBERS.filter((number) => number.length === usualLengthOf(number));
    expect(usual.length).toBeGreaterThan(30);
    for (const number of usual) {
      const card = typingShopper(config)
        .type(`${number}1234${codeOf(number)}`)
        .card();
      expect(card).toEqual([number, "12 / 34", codeOf(number)]);
    }
  });

  it("every other test number needs Tab, and keeps the focus until then", () => {
    const others = SIMULATOR_NUMBERS.filter((number) => number.length !== usualLengthOf(number));
    expect(others.length).toBeGreaterThan(0);
    for (const number of [...others, "5019717010103742", "6304000000000000"]) {
      const shopper = typingShopper(config).type(number);
      expect([shopper.focus(), shopper.card()[0]]).toEqual(["cardNumber", number]);
      expect(shopper.type("\t1234737").card()).toEqual([number, "12 / 34", "737"]);
    }
  });
});

describe("sixteen digits where nineteen are usual, followed by the expiry", () => {
  const unionpay = "6200000000000005";

  it.each([
    ["6200000000000005", "1234", "737"],
    ["5019717010103742", "1234", "737"],
    ["6304000000000000", "1230", "123"],
    ["6759649826438453", "0131", "999"],
  ])("%s: each ends in its own field", (number, expiry, code) => {
    const shopper = typingShopper().type(number + expiry + code);
    const shown = `${expiry.slice(0, 2)} / ${expiry.slice(2)}`;
    expect([...shopper.card(), shopper.focus()]).toEqual([number, shown, code, "security"]);
    expect(shopper.form.ready()).toBe(true);
  });

  it("the focus follows with the digit that shows it", () => {
    const shopper = typingShopper().type(`${unionpay}12`);
    expect([shopper.focus(), shopper.text("cardNumber")]).toEqual(["cardNumber", "6200 0000 0000 0005 12"]);
    shopper.type("3");
    expect([shopper.focus(), shopper.text("cardNumber"), shopper.text("expiry")]).toEqual([
      "expiry",
      "6200 0000 0000 0005",
      "12 / 3",
    ]);
    shopper.type("<<");
    expect(shopper.text("expiry")).toBe("1");
  });

  it("a month of one digit is complete with the year, which moves the focus", () => {
    const shopper = typingShopper().type(`${unionpay}731737`);
    expect(shopper.card()).toEqual([unionpay, "07 / 31", "737"]);
  });

  it.each([
    ["a nineteen-digit number that passes its check", "6205500000000000004", []],
    ["no month behind the sixteen", `${unionpay}999`, []],
    ["a year that has passed", `${unionpay}121`, []],
    ["an expiry that stands already", `${unionpay}\t1234`, ["123"]],
  ])("not with %s", (_, typed, pasted) => {
    const shopper = typingShopper().type(typed);
    for (const text of pasted) {
      shopper.form.type("cardNumber", `6200 0000 0000 0005 ${text}`);
      expect(shopper.text("expiry")).toBe("12 / 34");
    }
    expect(shopper.text("cardNumber").replaceAll(" ", "")).toHaveLength(19);
  });

  it("nor once the focus had moved on and the shopper came back", () => {
    const shopper = typingShopper().type("4242424242424242");
    shopper.form.type("cardNumber", "4242 4242 4242 4242 123");
    expect([shopper.text("cardNumber"), shopper.text("expiry")]).toEqual(["4242 4242 4242 4242 123", ""]);
  });

  it("what cannot be told apart is never ready to be paid with", () => {
    let told = 0;
    const dates = Array.from({ length: 12 * 19 }, (_, at) => [1 + (at % 12), 27 + Math.floor(at / 12)]);
    for (const [month, year] of dates) {
      const typed = [month, year].map((part) => String(part).padStart(2, "0")).join("");
      const shopper = typingShopper().type(`${unionpay + typed}737`);
      const isRight = shopper.card()[0] === unionpay;
      told += isRight ? 1 : 0;
      expect(shopper.form.ready()).toBe(isRight);
    }
    // The rest are numbers of nineteen digits that pass their check by chance: one in ten.
    expect(told / dates.length).toBeGreaterThan(0.85);
  });
});
