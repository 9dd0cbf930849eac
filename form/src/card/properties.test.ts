// Whatever is typed, pasted or done: nothing throws, nothing is lost, and the caret stays where it can be.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BRANDS } from "../../generated/rules.ts";
import { forAll } from "../for-all.ts";
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
import { shortestSecurityCode } from "./security-code.ts";

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
        blockedKey(name, text, context);
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
      { type: "cleared" },
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
