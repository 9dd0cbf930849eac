// Whatever is typed, pasted or done: nothing throws, nothing is lost, and the caret stays where it can be.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BRANDS } from "../../generated/rules.ts";
import { forAll } from "../../test/for-all.ts";
import { brandsToShow, detectBrand, maskOf } from "./brand.ts";
import { onlyDigits } from "./characters.ts";
import {
  FIELD_IDS,
  type FieldContext,
  type FieldEvent,
  type FieldName,
  judge,
  READY,
  step,
} from "./field.ts";
import { blockedKey, type Edit, reformat } from "./mask.ts";
import { capacity } from "./mask-tokens.ts";
import { judgeNumber } from "./number.ts";
import { shortestSecurityCode } from "./security-code.ts";
import { VALID } from "./verdict.ts";

const NAMES = Object.keys(FIELD_IDS) as FieldName[];
const NOTHING: Edit = { text: "", start: 0, end: 0 };
const INPUT_TYPES = [
  "",
  "insertText",
  "insertFromPaste",
  "insertFromDrop",
  "insertReplacementText",
  "insertCompositionText",
  "deleteContentBackward",
  "deleteContentForward",
  "deleteWordBackward",
  "deleteByCut",
  "historyUndo",
];

const names = fc.constantFrom(...NAMES);
const inputTypes = fc.constantFrom(...INPUT_TYPES);

/** Texts near to what is valid and far from it, lone surrogates included. */
const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."0123456789 ") }),
  fc.string({ unit: fc.constantFrom(..."0123456789/ ") }),
  fc.string({ unit: fc.constantFrom(..."019@./- a'ñ\u0301\u200f\u202e\u00a0４٢\u{20bb7}") }),
  fc.string({ unit: "binary" }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);

const contexts: fc.Arbitrary<FieldContext> = fc.record({
  experiments: fc.record({ luhn: fc.boolean(), securityCodeLength: fc.boolean(), expiryLimit: fc.boolean() }),
  today: fc.record({ year: fc.integer({ min: 2000, max: 2099 }), month: fc.integer({ min: 1, max: 12 }) }),
  brand: fc.constantFrom(null, ...BRANDS),
  country: fc.constantFrom("US", "CA", "GB", "DE"),
});

const edits = fc.tuple(texts, fc.nat(), fc.nat()).map(([text, a, b]): Edit => {
  const [start = 0, end = 0] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y);
  return { text, start, end };
});

const whole = (text: string): Edit => ({ text, start: text.length, end: text.length });

function expectCaretInRange({ text, start, end }: Edit) {
  expect(start).toBeGreaterThanOrEqual(0);
  expect(end).toBeGreaterThanOrEqual(start);
  expect(text.length).toBeGreaterThanOrEqual(end);
}

describe("any input", () => {
  it("is judged", () => {
    forAll(
      fc.property(names, texts, contexts, (name, text, context) => {
        const verdict = judge(name, text, context);
        expect(judge(name, text, context)).toEqual(verdict);
        blockedKey(name, text);
        expect(brandsToShow(text, ["visa", "mastercard"]).length).toBeLessThanOrEqual(2);
      }),
    );
  });

  it("is laid out, with the caret inside", () => {
    forAll(
      fc.property(names, edits, edits, inputTypes, contexts, (name, before, after, inputType, context) => {
        expectCaretInRange(reformat(name, before, after, inputType, context));
      }),
      { numRuns: 2000 },
    );
  });

  it("is laid out once: doing it again changes nothing", () => {
    forAll(
      fc.property(names, texts, contexts, (name, text, context) => {
        const once = reformat(name, NOTHING, whole(text), "insertFromPaste", context);
        expect(reformat(name, NOTHING, once, "insertFromPaste", context)).toEqual(once);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(["1", "1 ", " ", "a", "@", "a.", "1/", "/", "–", "\u0301", "４", "\ud800"])(
    "of 10 000 characters is dealt with at once: %j",
    (unit) => {
      const long = `4${unit.repeat(10_000 / unit.length)}x`;
      for (const name of NAMES) {
        const context = {
          experiments: { luhn: true, securityCodeLength: true, expiryLimit: true },
          today: { year: 2026, month: 7 },
          brand: null,
          country: "US",
        };
        judge(name, long, context);
        expectCaretInRange(reformat(name, NOTHING, whole(long), "insertFromPaste", context));
      }
    },
  );
});

describe("the card number", () => {
  const context: FieldContext = {
    experiments: { luhn: true, securityCodeLength: true, expiryLimit: true },
    today: { year: 2026, month: 7 },
    brand: null,
    country: "US",
  };
  const room = (digits: string) => capacity(maskOf(detectBrand(digits)));

  it("keeps a paste's digits in order, up to the brand's longest length", () => {
    forAll(
      fc.property(fc.string({ unit: fc.constantFrom(..."0123456789 -.") }), (text) => {
        const digits = onlyDigits(text);
        const shown = reformat("cardNumber", NOTHING, whole(text), "insertFromPaste", context).text;
        expect(onlyDigits(shown)).toBe(digits.slice(0, room(digits)));
        expect(shown).toMatch(/^([0-9]{4} )*[0-9]{0,4}$/);
      }),
    );
  });

  it("holds after any edits what a plain list of digits would hold", () => {
    type Move = { kind: "type" | "backspace" | "delete" | "caret"; digit: string; at: number };
    const moves: fc.Arbitrary<Move> = fc.record({
      kind: fc.constantFrom("type", "type", "type", "backspace", "delete", "caret"),
      digit: fc.constantFrom(..."0123456789"),
      at: fc.nat(30),
    });
    forAll(
      fc.property(fc.array(moves, { maxLength: 60 }), (journey) => {
        let edit = NOTHING;
        let list = "";
        for (const { kind, digit, at } of journey) {
          const { text, end } = edit;
          const index = onlyDigits(text.slice(0, end)).length;
          const splice = (from: number, to: number, put: string): Edit => {
            const caret = from + put.length;
            return { text: text.slice(0, from) + put + text.slice(to), start: caret, end: caret };
          };
          if (kind === "caret") {
            edit = { text, start: Math.min(at, text.length), end: Math.min(at, text.length) };
          } else if (kind === "type") {
            const longer = list.slice(0, index) + digit + list.slice(index);
            const isTaken = longer.length <= room(longer);
            edit = reformat("cardNumber", edit, splice(end, end, digit), "insertText", context);
            if (isTaken) list = longer;
            // One types on behind what was taken, and stays in place otherwise.
            expect(onlyDigits(edit.text.slice(0, edit.end)).length).toBe(isTaken ? index + 1 : index);
          } else {
            const [from, to] = kind === "backspace" ? [end - 1, end] : [end, end + 1];
            if (from < 0 || to > text.length) continue;
            const isDigit = text[from] !== " ";
            const inputType = kind === "backspace" ? "deleteContentBackward" : "deleteContentForward";
            edit = reformat("cardNumber", edit, splice(from, to, ""), inputType, context);
            const removed = kind === "backspace" ? index - 1 : index;
            if (isDigit) list = list.slice(0, removed) + list.slice(removed + 1);
            // Over a separator the caret moves, so that the same key pressed again deletes.
            else expect(edit.end).toBe(kind === "backspace" ? end - 1 : end + 1);
          }
          expect(onlyDigits(edit.text)).toBe(list);
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** What may stand between the groups of a number, or of a date: no letter, no digit. */
const separators = fc.oneof(
  fc.constantFrom(
    ..." -.,/|'·•_*;\\\t\n\u00a0\u00ad\u200b\u200e\u2009\u2010\u2013\u2019\u2044\u2060\u2212\u3000\ufe58\ufeff／－",
  ),
  fc.string({ unit: "binary", minLength: 1, maxLength: 3 }).filter((text) => /^[^\p{L}\p{N}:]+$/u.test(text)),
);
const CONTEXT: FieldContext = {
  experiments: { luhn: true, securityCodeLength: true, expiryLimit: true },
  today: { year: 2026, month: 7 },
  brand: null,
  country: "US",
};
const pasted = (name: FieldName, text: string) =>
  reformat(name, NOTHING, whole(text), "insertFromPaste", CONTEXT).text;

describe("a pasted number", () => {
  const numbers = fc.constantFrom(
    "4242 4242 4242 4242",
    "4242 4242 4242 4242 428",
    "3782 822463 10005",
    "3056 930902 5904",
    "2223 0031 2200 3222",
    "4242424242424242",
  );
  const maestro = fc.constantFrom("6304 0000 0000", "6304 0000 0400 1228");
  const digits = (text: string) => onlyDigits(pasted("cardNumber", text));

  it("keeps every digit, whatever separates the groups", () => {
    forAll(
      fc.property(fc.oneof(numbers, maestro), separators, (number, separator) => {
        expect(digits(number.replaceAll(" ", separator))).toBe(onlyDigits(number));
      }),
    );
  });

  it("is all that a note of number, date and code fills in, in any order", () => {
    forAll(
      fc.property(
        numbers,
        fc.constantFrom(" ", "-", "."),
        fc.constantFrom("", "12/28", "12 / 2028", "3-28", "03.2028", "1228"),
        fc.constantFrom("", "123", "1234"),
        fc.constantFrom("\n", "\r\n", " ", ", ", " | "),
        fc.constantFrom([0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]),
        (number, separator, date, code, between, order) => {
          const parts = [number.replaceAll(" ", separator), date, code];
          const note = order.map((place) => parts[place] ?? "").filter((part) => part !== "");
          // Digits that are a longer number together with the card's are unclear.
          const joined = onlyDigits(
            order
              .map((place) => parts[place])
              .filter((part) => part !== date || date === "1228")
              .join(""),
          );
          fc.pre(number.length < 23 || joined === onlyDigits(number));
          fc.pre(joined === onlyDigits(number) || judgeNumber(joined, true) !== VALID);
          expect(digits(note.join(between))).toBe(onlyDigits(number));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("a pasted date", () => {
  const two = (n: number) => String(n).padStart(2, "0");
  const dates = fc.record({
    year: fc.integer({ min: 2026, max: 2046 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 13, max: 31 }),
  });

  it("becomes its month and year, however it is written and separated", () => {
    forAll(
      fc.property(
        dates,
        separators,
        fc.constantFrom("", "Exp. ", "valid thru: "),
        (date, separator, label) => {
          const [year, month, day] = [String(date.year), two(date.month), two(date.day)];
          const short = year.slice(2);
          const join = (...parts: string[]) => label + parts.join(separator);
          for (const text of [
            join(month, short),
            join(month, year),
            join(String(date.month), year),
            join(year, month),
            join(year, month, day),
            join(day, month, year),
            join(month, day, year),
            join(day, month, short),
            join(month, day, short),
            label + month + short,
            label + month + year,
            label + year + month,
            label + year + month + day,
            label + day + month + year,
            label + month + day + year,
          ]) {
            expect(pasted("expiry", text), JSON.stringify(text)).toBe(`${month} / ${short}`);
          }
        },
      ),
    );
  });
});

describe("the cardholder's name", () => {
  it("is never accepted as another name", () => {
    const units = fc.constantFrom(..."AnaBé ñªº'.-,19@_😀", "e\u0301", "\u0301", "’", "–", "田");
    forAll(
      fc.property(fc.string({ unit: units, maxLength: 40 }), (text) => {
        const shown = pasted("cardHolderName", text);
        const kept = text.normalize("NFC").replaceAll("’", "'").replaceAll("–", "-");
        if (judge("cardHolderName", shown, CONTEXT).kind === "valid") {
          expect(shown).toBe(kept);
        }
      }),
    );
  });

  it("is composed before it is counted", () => {
    const name = "e\u0301".repeat(26);
    expect(pasted("cardHolderName", name)).toBe("é".repeat(26));
    expect(judge("cardHolderName", name, CONTEXT).kind).toBe("valid");
  });
});

describe("the expiry", () => {
  it("never shows more than MM / YY", () => {
    forAll(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(..."0123456789/ -x"), fc.boolean(), fc.nat(7)), { maxLength: 30 }),
        contexts,
        (keys, context) => {
          let edit = NOTHING;
          for (const [key, isBackspace, at] of keys) {
            const caret = Math.min(at, edit.text.length);
            const before = { text: edit.text, start: caret, end: caret };
            const from = isBackspace ? Math.max(caret - 1, 0) : caret;
            const put = isBackspace ? "" : key;
            const text = before.text.slice(0, from) + put + before.text.slice(caret);
            const after = { text, start: from + put.length, end: from + put.length };
            edit = reformat(
              "expiry",
              before,
              after,
              isBackspace ? "deleteContentBackward" : "insertText",
              context,
            );
            expect(edit.text).toMatch(/^([0-9]{0,2}|[0-9]{2} \/ [0-9]{0,2}|[0-9]? \/ [0-9]{1,2})$/);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("the states", () => {
  const events: fc.Arbitrary<FieldEvent> = fc.oneof(
    texts.map((text): FieldEvent => ({ type: "typed", text })),
    fc.constantFrom<FieldEvent>(
      { type: "typed", text: "4242424242424242" },
      { type: "typed", text: "12/28" },
      { type: "typed", text: "123" },
      { type: "typed", text: "Ana" },
      { type: "typed", text: "ana@example.com" },
      { type: "blurred" },
      { type: "submit-attempted" },
      { type: "key-blocked", errorId: "CardNumber_ContainsNonNumber" },
      { type: "brand-changed" },
    ),
  );

  it("are complete for valid texts only, and have an error where one shows", () => {
    forAll(
      fc.property(names, fc.array(events), contexts, (name, journey, context) => {
        let field = READY;
        for (const event of journey) {
          field = step(name, field, event, context);
          const isValid = judge(name, field.text, context).kind === "valid";
          // A security code that is still being typed is not complete, however few digits are accepted.
          const isShort = name === "security" && field.text.length < shortestSecurityCode(context.brand);
          if (isValid && isShort && event.type !== "blurred") {
            expect(event.type === "typed" ? field.state : "Ready").toBe("Ready");
          } else {
            expect(field.state === "CompletedAndValid").toBe(isValid);
          }
          expect(field.errorId !== null).toBe(field.state === "ValidationError" || field.state === "Empty");
        }
      }),
      { numRuns: 1000 },
    );
  });
});
