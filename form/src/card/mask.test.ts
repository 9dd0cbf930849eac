// What the inputs hold while one types. A value is written with its caret, "42|42", or with its selection, "4[24]2".

import { describe, expect, it } from "vitest";
import { detectBrand } from "./brand.ts";
import type { FieldContext, FieldName } from "./field.ts";
import { type Edit, reformat } from "./mask.ts";

const CONTEXT: FieldContext = {
  experiments: { luhn: true, securityCodeLength: true, expiryLimit: true },
  today: { year: 2026, month: 7 },
  brand: null,
  country: "US",
};

function parse(notation: string): Edit {
  const selection = /^([^[]*)\[([^\]]*)\](.*)$/su.exec(notation);
  if (selection) {
    const [, head = "", selected = "", tail = ""] = selection;
    return { text: head + selected + tail, start: head.length, end: head.length + selected.length };
  }
  const [head = "", tail = ""] = notation.split("|");
  return { text: head + tail, start: head.length, end: head.length };
}

const show = ({ text, start, end }: Edit) =>
  start === end
    ? `${text.slice(0, start)}|${text.slice(start)}`
    : `${text.slice(0, start)}[${text.slice(start, end)}]${text.slice(end)}`;

/** What a browser makes of typing or pasting `data` over the selection. */
function insert({ text, start, end }: Edit, data: string): Edit {
  const caret = start + data.length;
  return { text: text.slice(0, start) + data + text.slice(end), start: caret, end: caret };
}

/** What a browser makes of deleting the selection, or else from `from` to `to` beside the caret. */
function remove({ text, start, end }: Edit, from: number, to: number): Edit {
  const [first, last] = start === end ? [Math.max(start + from, 0), start + to] : [start, end];
  return { text: text.slice(0, first) + text.slice(last), start: first, end: first };
}

type Action = { type: string; apply: (edit: Edit) => Edit };
const type = (data: string): Action => ({ type: "insertText", apply: (edit) => insert(edit, data) });
const paste = (data: string): Action => ({ type: "insertFromPaste", apply: (edit) => insert(edit, data) });
const backspace: Action = { type: "deleteContentBackward", apply: (edit) => remove(edit, -1, 0) };
const del: Action = { type: "deleteContentForward", apply: (edit) => remove(edit, 0, 1) };
const cut: Action = { type: "deleteByCut", apply: (edit) => remove(edit, 0, 0) };
const wordBack = (count: number): Action => ({
  type: "deleteWordBackward",
  apply: (edit) => remove(edit, -count, 0),
});
const wordOn = (count: number): Action => ({
  type: "deleteWordForward",
  apply: (edit) => remove(edit, 0, count),
});
const fillIn = (text: string): Action => ({
  type: "insertReplacementText",
  apply: () => ({ text, start: text.length, end: text.length }),
});

function act(name: FieldName, notation: string, actions: Action[], context = CONTEXT): string {
  const done = actions.reduce(
    (edit, action) => reformat(name, edit, action.apply(edit), action.type, context),
    parse(notation),
  );
  return show(done);
}

const keys = (text: string) => Array.from(text, type);

describe("the card number", () => {
  it.each<[string, string, Action[], string]>([
    ["typing", "|", keys("42424"), "4242 4|"],
    ["typing all", "|", keys("4242424242424242"), "4242 4242 4242 4242|"],
    ["typing spaces between the groups", "|", keys("4242 4242 4"), "4242 4242 4|"],
    ["typing to the brand's longest length", "|", keys("42424242424242424249"), "4242 4242 4242 4242 424|"],
    ["typing over a mastercard's 16 digits", "|", keys("55555555555544449"), "5555 5555 5555 4444|"],
    ["typing over an american-express's 15 digits", "|", keys("3782822463100059"), "3782 8224 6310 005|"],
    ["a digit into a group", "424|2 4242", [type("9")], "4249| 2424 2"],
    ["a digit in front of a separator", "4242| 4242", [type("9")], "4242 9|424 2"],
    ["a digit behind a separator", "4242 |4242", [type("9")], "4242 9|424 2"],
    ["a digit at the start", "|4242 4242", [type("5")], "5|424 2424 2"],
    ["a digit into a full number", "5555 |5555 5555 4444", [type("1")], "5555 |5555 5555 4444"],
    ["a digit over a selection", "4242 [4242] 4242", [type("9")], "4242 9|424 2"],
    ["a digit over everything", "[4242 4242]", [type("5")], "5|"],
    ["backspace at the end", "4242 4|", [backspace], "4242|"],
    ["backspace in a group", "4242 42|42", [backspace], "4242 4|42"],
    ["backspace on a separator moves over it", "4242 |4242", [backspace], "4242| 4242"],
    [
      "backspace twice on a separator deletes the digit before it",
      "4242 |4242",
      [backspace, backspace],
      "424|4 242",
    ],
    ["backspace on the first digit of a group", "4242 4|242", [backspace], "4242 |242"],
    ["delete in a group", "4242 4|242", [del], "4242 4|42"],
    ["delete on a separator moves over it", "4242| 4242", [del], "4242 |4242"],
    ["delete twice on a separator deletes the digit after it", "4242| 4912", [del, del], "4242 |912"],
    ["delete at the end", "4242|", [del], "4242|"],
    ["delete the first of all", "|4242 4242", [del], "|2424 242"],
    ["backspace over a selection", "42[42 42]42", [backspace], "42|42"],
    ["cut", "4242 [4242 ]4242", [cut], "4242 |4242"],
    ["a word back", "4242 4242|", [wordBack(4)], "4242|"],
    ["a word back over a separator", "4242 |4242", [wordBack(5)], "|4242"],
    ["a word on", "4242| 4242 9", [wordOn(5)], "4242| 9"],
    [
      "deleting into an unknown brand loses no digit",
      "4|942 4242 4242 4242 424",
      [backspace],
      "|9424 2424 2424 2424 24",
    ],
    ["pasting spaces", "|", [paste(" 4242 4242 4242 4242 ")], "4242 4242 4242 4242|"],
    ["pasting dashes", "|", [paste("4242-4242-4242-4242")], "4242 4242 4242 4242|"],
    ["pasting typographic dashes", "|", [paste("4242–4242—4242‑4242")], "4242 4242 4242 4242|"],
    ["pasting dots", "|", [paste("4242.4242.4242.4242")], "4242 4242 4242 4242|"],
    ["pasting no-break spaces", "|", [paste("4242\u00a04242\u202f4242\u20074242")], "4242 4242 4242 4242|"],
    ["pasting a label", "|", [paste("Card number: 4242 4242 4242 4242")], "4242 4242 4242 4242|"],
    ["pasting a label with a digit", "|", [paste("Card 1: 4242424242424242, exp")], "4242 4242 4242 4242|"],
    ["pasting into the middle", "42|42", [paste("99-99")], "4299 99|42"],
    ["pasting over a part", "4242 [4242] 4242", [paste("11 11")], "4242 1111| 4242"],
    ["pasting more than there is room for", "5555 5555 5555 |4444", [paste("123")], "5555 5555 5555 |4444"],
    ["pasting too many digits", "|", [paste("555555555555444412345")], "5555 5555 5555 4444|"],
    ["pasting what holds no digit", "4242|", [paste("hello")], "4242|"],
    ["autofill", "|", [fillIn("4242424242424242")], "4242 4242 4242 4242|"],
    [
      "autofill over another number",
      "5555 5555 5555 4444|",
      [fillIn("4242424242424242")],
      "4242 4242 4242 4242|",
    ],
    ["full-width digits", "|", keys("４２４２４"), "4242 4|"],
    ["Arabic-Indic digits", "|", keys("٤٢٤٢٤"), "4242 4|"],
    ["Persian, Devanagari and Thai digits", "|", keys("۴२๔२4"), "4242 4|"],
    ["letters that got through", "4242|", [type("abc")], "4242|"],
  ])("%s", (_, from, actions, to) => {
    expect(act("cardNumber", from, actions)).toBe(to);
  });
});

describe("the expiry", () => {
  it.each<[string, string, Action[], string]>([
    ["typing", "|", keys("1228"), "12 / 28|"],
    ["the separator comes with the month", "|", keys("12"), "12 / |"],
    ["a first digit that may go on waits", "|", keys("1"), "1|"],
    ["a zero waits", "|", keys("0"), "0|"],
    ["a leading 2 to 9 gets its zero", "|", keys("2"), "02 / |"],
    ["a leading 9 and a year", "|", keys("928"), "09 / 28|"],
    ["a slash closes a month of one digit", "|", keys("1/28"), "01 / 28|"],
    ["a slash after the separator is one too many", "|", keys("12/28"), "12 / 28|"],
    ["typing the separator as it is shown", "|", keys("12 / 28"), "12 / 28|"],
    ["a slash alone", "|", keys("/"), "|"],
    ["a slash after a zero", "|", keys("0/"), "0|"],
    ["a month out of range is kept for its error", "|", keys("1328"), "13 / 28|"],
    ["typing a year of four digits", "|", keys("122028"), "12 / 28|"],
    ["typing a year of four digits after a slash", "|", keys("12/2028"), "12 / 28|"],
    ["typing on after the end", "12 / 28|", [type("9")], "12 / 28|"],
    ["a digit into a full value", "1|2 / 28", [type("0")], "1|2 / 28"],
    ["a digit into the month moves the next into the year", "1|2 / ", [type("0")], "10 / |2"],
    ["a digit in front of a full month", "|12 / 3", [type("0")], "0|1 / 23"],
    ["replacing the year", "12 / [28]", keys("30"), "12 / 30|"],
    ["replacing the month", "[12] / 28", keys("11"), "11 / |28"],
    ["replacing everything", "[12 / 28]", keys("1"), "1|"],
    ["backspace at the end", "12 / 28|", [backspace], "12 / 2|"],
    ["backspace through the year takes the separator along", "12 / 2|", [backspace], "12|"],
    ["backspace after the separator deletes the digit before it", "12 / |", [backspace], "1|"],
    [
      "typing the month anew after the separator",
      "|",
      [...keys("12"), backspace, ...keys("128")],
      "11 / 28|",
    ],
    ["backspace before a year deletes the digit before the separator", "12 / |28", [backspace], "1| / 28"],
    ["backspace inside the separator", "12 /| 28", [backspace], "1| / 28"],
    ["a slash after a 1 gives it its zero", "|", keys("1/"), "01 / |"],
    ["backspace takes back a typed slash and its zero", "|", [...keys("1/"), backspace], "1|"],
    ["backspace after a month typed with its zero", "|", [...keys("01"), backspace], "0|"],
    ["another digit after a deleted slash", "|", [...keys("1/"), backspace, ...keys("228")], "12 / 28|"],
    ["a space closes a month of one digit", "|", keys("1 28"), "01 / 28|"],
    ["a space after the separator is one too many", "|", keys("12 28"), "12 / 28|"],
    ["backspace in the month keeps the year", "12| / 28", [backspace], "1| / 28"],
    ["backspace through the month keeps the year", "12| / 28", [backspace, backspace], "| / 28"],
    ["typing a month in front of its year", "| / 28", keys("11"), "11 / |28"],
    ["typing a short month in front of its year", "| / 28", keys("9"), "09 / |28"],
    ["backspace in the year", "12 / 2|8", [backspace], "12 / |8"],
    ["delete on the separator moves over it", "12| / 28", [del], "12 / |28"],
    ["delete after the separator", "12 / |28", [del], "12 / |8"],
    ["delete at the start", "|12 / 28", [del], "|2 / 28"],
    ["delete in the month stays in the month", "1|9 / 28", [del], "1| / 28"],
    ["typing where one deleted", "1|9 / 28", [del, ...keys("2")], "12 / |28"],
    ["deleting over the separator moves no digit", "1[2 / 2]8", [backspace], "1| / 8"],
    ["typing a slash in front of the separator moves over it", "12| / 28", [type("/")], "12 / |28"],
    ["cut everything", "[12 / 28]", [cut], "|"],
    ["a word back", "12 / 28|", [wordBack(2)], "12|"],
    ["a word back over the separator", "12 / |28", [wordBack(5)], "| / 28"],
    ["typing after a deletion", "12 / 28|", [backspace, backspace, ...keys("30")], "12 / 30|"],
    ["pasting 12/2028", "|", [paste("12/2028")], "12 / 28|"],
    ["pasting 12/28", "|", [paste("12/28")], "12 / 28|"],
    ["pasting 1228", "|", [paste("1228")], "12 / 28|"],
    ["pasting 122028", "|", [paste("122028")], "12 / 28|"],
    ["pasting 1/28", "|", [paste("1/28")], "01 / 28|"],
    ["pasting 12-28", "|", [paste("12-28")], "12 / 28|"],
    ["pasting 12.2028", "|", [paste(" 12.2028 ")], "12 / 28|"],
    ["pasting 3 2028", "|", [paste("3 2028")], "03 / 28|"],
    ["pasting 2028-12", "|", [paste("2028-12")], "12 / 28|"],
    ["pasting a label", "|", [paste("Exp. date: 12/28")], "12 / 28|"],
    ["pasting 202812", "|", [paste("202812")], "12 / 28|"],
    ["pasting 203003", "|", [paste("203003")], "03 / 30|"],
    ["pasting the only day that is one", "|", [paste("12/01/2028")], "12 / 28|"],
    ["pasting a date whose day may be its month", "|", [paste("05/12/2028")], "12 / 28|"],
    ["pasting a date and a time", "|", [paste("2028-12-31T23:59:59Z")], "12 / 28|"],
    ["pasting Japanese", "|", [paste("2028年12月31日")], "12 / 28|"],
    ["pasting Korean", "|", [paste("12월 28년")], "12 / 28|"],
    ["pasting a card's note", "|", [paste("4242 4242 4242 4242\n12/28\n1234")], "12 / 28|"],
    [
      "pasting a year of another century keeps what shows that it is past",
      "|",
      [paste("12/1999")],
      "12 / 19|",
    ],
    ["pasting what is none", "12 / |", [paste("hello")], "12 / |"],
    ["autofill of 12/2028", "|", [fillIn("12/2028")], "12 / 28|"],
    ["autofill of 12/28", "|", [fillIn("12/28")], "12 / 28|"],
    ["autofill of 12 / 2028 over another", "11 / 27|", [fillIn("12 / 2028")], "12 / 28|"],
    ["full-width digits and slash", "|", keys("１２／２８"), "12 / 28|"],
    ["Arabic-Indic digits", "|", keys("١٢٢٨"), "12 / 28|"],
  ])("%s", (_, from, actions, to) => {
    expect(act("expiry", from, actions)).toBe(to);
  });
});

describe("the security code", () => {
  const under = (number: string): FieldContext => ({ ...CONTEXT, brand: detectBrand(number) });
  const off = { ...CONTEXT, experiments: { ...CONTEXT.experiments, securityCodeLength: false } };

  it.each<[string, FieldContext, string, Action[], string]>([
    ["at most 4 digits while the brand is unknown", CONTEXT, "|", keys("12345"), "1234|"],
    ["at most visa's 3", under("4242"), "|", keys("1234"), "123|"],
    ["at most american-express's 4", under("3782"), "|", keys("12345"), "1234|"],
    ["any digits without the experiment", off, "|", keys("123456"), "123456|"],
    ["no letters without the experiment", off, "12|", [paste("x3")], "123|"],
    ["a digit into a full code", under("4242"), "1|23", [type("9")], "1|23"],
    ["a digit into the middle", under("4242"), "1|3", [type("2")], "12|3"],
    ["backspace in the middle", under("4242"), "12|3", [backspace], "1|3"],
    ["a pasted label", under("4242"), "|", [paste("CVV: 123")], "123|"],
    [
      "a code that the brand no longer allows is kept until it is corrected",
      under("4242"),
      "1234|",
      [backspace],
      "123|",
    ],
    ["full-width digits", CONTEXT, "|", keys("１２３"), "123|"],
  ])("%s", (_, context, from, actions, to) => {
    expect(act("security", from, actions, context)).toBe(to);
  });
});

describe("the cardholder name", () => {
  it.each<[string, string, Action[], string]>([
    ["typing", "|", keys("Ana Souza"), "Ana Souza|"],
    ["at most 26 characters", "Abcdefghijklmnopqrstuvwxyz|", keys("a"), "Abcdefghijklmnopqrstuvwxyz|"],
    ["into a full name", "Ab|cdefghijklmnopqrstuvwxyz", keys("a"), "Ab|cdefghijklmnopqrstuvwxyz"],
    ["pasted digits and symbols stay for their error", "Ana| Souza", [paste("1@–")], "Ana1@-| Souza"],
    [
      "a pasted name of more than 26 characters stays for its error",
      "|",
      [paste("Abcdefghijklmnopqrstuvwxyza")],
      "Abcdefghijklmnopqrstuvwxyza|",
    ],
    ["a mark is composed with its letter", "Jose| Ibarra", [type("\u0301")], "Jos\u00e9| Ibarra"],
    ["a decomposed name", "|", [paste("Jose\u0301 Nun\u0303ez")], "Jos\u00e9 Nu\u00f1ez|"],
    [
      "a mark on the last of 26 characters",
      "Abcdefghijklmnopqrstuvwxye|",
      [type("\u0301")],
      "Abcdefghijklmnopqrstuvwxy\u00e9|",
    ],
    ["ordinal letters", "|", keys("Mª Iº"), "Mª Iº|"],
    ["a phone's apostrophe", "O|Brien", [type("’")], "O'|Brien"],
    ["a word processor's dash", "Anne|Marie", [type("–")], "Anne-|Marie"],
    ["an ideographic space", "山田|", [type("　")], "山田 |"],
    ["full-width letters", "|", keys("ＡＮＡ"), "ANA|"],
    ["characters beyond the first plane", "[𠮷]田", [type("𠮸")], "𠮸|田"],
    ["a pasted line break", "|", [paste("Ana\nSouza\n")], "Ana Souza |"],
  ])("%s", (_, from, actions, to) => {
    expect(act("cardHolderName", from, actions)).toBe(to);
  });
});

describe("the cardholder email", () => {
  const long = "a".repeat(254);
  it.each<[string, string, Action[], string]>([
    ["typing", "|", keys("ana@example.com"), "ana@example.com|"],
    ["whitespace is removed", "|", [paste(" ana @ example.com\n")], "ana@example.com|"],
    ["the space key", "ana|", keys(" "), "ana|"],
    ["a space in the middle", "an|a", keys(" "), "an|a"],
    ["characters that nobody sees", "|", [paste("\u200fana@example.com\u200b\ufeff")], "ana@example.com|"],
    ["full-width signs", "ana|", keys("＠ｅ．ｆｒ"), "ana@e.fr|"],
    ["at most 254 characters", `${long}|`, keys("b"), `${long}|`],
    ["a long paste", "|", [paste(`${long}b@example.com`)], `${long}|`],
  ])("%s", (_, from, actions, to) => {
    expect(act("cardHolderEmail", from, actions)).toBe(to);
  });
});

describe("the postal code", () => {
  it.each<[string, string, Action[], string]>([
    ["digits", "|", keys("94107"), "94107|"],
    ["capitals for small letters", "|", keys("k1a 0b1"), "K1A 0B1|"],
    ["a letter in the middle", "S1A| 1AA", keys("w"), "S1AW| 1AA"],
    ["digits of another script", "|", keys("٩٤١٠٧"), "94107|"],
    ["full-width characters", "|", [paste("ｋ１ａ－０ｂ１")], "K1A-0B1|"],
    ["a long dash and a no-break space", "|", [paste("94107–1234\u00a0")], "94107-1234 |"],
    ["at most 10 characters", "1234567890|", keys("1"), "1234567890|"],
    ["a long paste stays for its error", "|", [paste("12345678901")], "12345678901|"],
  ])("%s", (_, from, actions, to) => {
    expect(act("cardPostalCode", from, actions)).toBe(to);
  });
});

describe("in every field", () => {
  const NAMES: FieldName[] = [
    "cardNumber",
    "expiry",
    "security",
    "cardHolderName",
    "cardPostalCode",
    "cardHolderEmail",
  ];

  it.each(NAMES)("%s: a composition is left alone until it ends", (name) => {
    const [before, composing] = [parse("1|"), parse("1かn|")];
    expect(reformat(name, before, composing, "insertCompositionText", CONTEXT)).toBe(composing);
  });

  it("a drag is left alone until its drop", () => {
    const dragged = parse("| 5678 90");
    expect(reformat("cardNumber", parse("[1234] 5678 90"), dragged, "deleteByDrag", CONTEXT)).toBe(dragged);
    const dropped = parse(" 5678 90[1234]");
    expect(show(reformat("cardNumber", dragged, dropped, "insertFromDrop", CONTEXT))).toBe("5678 9012 34|");
  });

  it("a selection that the browser made stays when nothing else changes", () => {
    const undone = parse("4242 [4242]");
    expect(reformat("cardNumber", parse("4242 |"), undone, "historyUndo", CONTEXT)).toBe(undone);
  });

  it("a value typed before hydration keeps its caret", () => {
    const typedEarly = parse("42424|242");
    expect(show(reformat("cardNumber", parse("|"), typedEarly, "", CONTEXT))).toBe("4242 4|242");
  });
});
