// What each event makes of a field, by its rule (docs/field-states.md).

import { describe, expect, it } from "vitest";
import { detectBrand } from "./brand.ts";
import { type Field, type FieldContext, type FieldEvent, type FieldName, READY, step } from "./field.ts";

const CONTEXT: FieldContext = {
  experiments: { luhn: true, securityCodeLength: true, expiryLimit: true },
  today: { year: 2026, month: 7 },
  brand: detectBrand("4242"),
  country: "US",
};

const typed = (text: string): FieldEvent => ({ type: "typed", text });
const BLURRED: FieldEvent = { type: "blurred" };
const SUBMIT: FieldEvent = { type: "submit-attempted" };

/** The state and the error after these events, as "State" or "State ErrorId". */
function after(name: FieldName, ...events: FieldEvent[]): string {
  const field = events.reduce((field: Field, event) => step(name, field, event, CONTEXT), READY);
  return field.errorId ? `${field.state} ${field.errorId}` : field.state;
}

describe("the generic rule", () => {
  it.each<[FieldName, string, string, string, string]>([
    // field, text, while typing, on blur, on a submit attempt
    ["cardHolderName", "", "Ready", "Ready", "Empty CardHolderName_Cant_Empty"],
    [
      "cardHolderName",
      "J",
      "Ready",
      "ValidationError CardHolderName_Invalid",
      "ValidationError CardHolderName_Invalid",
    ],
    [
      "cardHolderName",
      "Ana 2",
      "Ready",
      "ValidationError CardHolderName_NonSymbolAndNumber",
      "ValidationError CardHolderName_NonSymbolAndNumber",
    ],
    ["cardHolderName", "Ana Souza", "CompletedAndValid", "CompletedAndValid", "CompletedAndValid"],
    ["cardPostalCode", "", "Ready", "Ready", "Empty CardPostalCode_Cant_Empty"],
    [
      "cardPostalCode",
      "941",
      "Ready",
      "ValidationError CardPostalCode_Invalid",
      "ValidationError CardPostalCode_Invalid",
    ],
    ["cardPostalCode", "94107", "CompletedAndValid", "CompletedAndValid", "CompletedAndValid"],
    ["cardHolderEmail", "", "Ready", "Ready", "Empty CardHolderEmail_Cant_Empty"],
    [
      "cardHolderEmail",
      "ana@",
      "Ready",
      "ValidationError CardHolderEmail_Invalid",
      "ValidationError CardHolderEmail_Invalid",
    ],
    [
      "cardHolderEmail",
      "a@@b",
      "Ready",
      "ValidationError CardHolderEmail_Invalid",
      "ValidationError CardHolderEmail_Invalid",
    ],
    ["cardHolderEmail", "ana@example.com", "CompletedAndValid", "CompletedAndValid", "CompletedAndValid"],
    ["security", "", "Ready", "Ready", "Empty CardSecurityCode_EmptySecurityCode"],
    [
      "security",
      "12",
      "Ready",
      "ValidationError CardSecurityCode_IncompleteSecurityCode",
      "ValidationError CardSecurityCode_IncompleteSecurityCode",
    ],
    ["security", "123", "CompletedAndValid", "CompletedAndValid", "CompletedAndValid"],
  ])("%s %j", (name, text, whileTyping, onBlur, onSubmit) => {
    expect(after(name, typed(text))).toBe(whileTyping);
    expect(after(name, typed(text), BLURRED)).toBe(onBlur);
    expect(after(name, typed(text), SUBMIT)).toBe(onSubmit);
  });
});

describe("the card number", () => {
  it.each([
    ["", "Ready", "Ready", "Empty CardNumber_Empty"],
    [
      "4242",
      "Ready",
      "ValidationError CardNumber_Invalid_Length",
      "ValidationError CardNumber_Invalid_Length",
    ],
    [
      "4242 4242 4242 4241",
      "ValidationError CardNumber_Invalid",
      "ValidationError CardNumber_Invalid",
      "ValidationError CardNumber_Invalid",
    ],
    [
      "5555 5555 5555 44440",
      "ValidationError CardNumber_Invalid_Length",
      "ValidationError CardNumber_Invalid_Length",
      "ValidationError CardNumber_Invalid_Length",
    ],
    ["4242 4242 4242 4242", "CompletedAndValid", "CompletedAndValid", "CompletedAndValid"],
  ])("%j", (text, whileTyping, onBlur, onSubmit) => {
    expect(after("cardNumber", typed(text))).toBe(whileTyping);
    expect(after("cardNumber", typed(text), BLURRED)).toBe(onBlur);
    expect(after("cardNumber", typed(text), SUBMIT)).toBe(onSubmit);
  });
});

describe("the expiry keeps its error until MM/YY is five characters long", () => {
  it.each([
    ["", "Ready", "Ready"],
    ["1", "Ready", "ValidationError CardExpiry_WrongMmDdFormat"],
    ["13 / ", "Ready", "ValidationError CardExpiry_WrongMmDdFormat"],
    ["13 / 2", "Ready", "ValidationError CardExpiry_WrongMmDdFormat"],
    ["13 / 28", "ValidationError CardExpiry_MonthOutOfRange", "ValidationError CardExpiry_MonthOutOfRange"],
    ["06 / 26", "ValidationError CardExpiry_Expired", "ValidationError CardExpiry_Expired"],
    [
      "01 / 47",
      "ValidationError CardExpiry_ExpirationDateExceedsMaxValue",
      "ValidationError CardExpiry_ExpirationDateExceedsMaxValue",
    ],
    ["07 / 26", "CompletedAndValid", "CompletedAndValid"],
  ])("%j", (text, whileTyping, onBlur) => {
    expect(after("expiry", typed(text))).toBe(whileTyping);
    expect(after("expiry", typed(text), BLURRED)).toBe(onBlur);
  });

  it("takes an error back while it is corrected", () => {
    expect(after("expiry", typed("13 / 28"), typed("1 / 28"))).toBe("Ready");
  });
});

describe("a blocked key", () => {
  const blocked: FieldEvent = { type: "key-blocked", errorId: "CardExpiry_ContainsNonNumber" };

  it("sets ValidationError if the state was Ready", () => {
    expect(after("expiry", blocked)).toBe("ValidationError CardExpiry_ContainsNonNumber");
    expect(after("expiry", typed("12"), blocked)).toBe("ValidationError CardExpiry_ContainsNonNumber");
  });

  it("leaves every other state as it is", () => {
    expect(after("expiry", typed("12 / 28"), blocked)).toBe("CompletedAndValid");
    expect(after("expiry", typed("12"), BLURRED, blocked)).toBe("ValidationError CardExpiry_WrongMmDdFormat");
    expect(after("expiry", SUBMIT, blocked)).toBe("Empty CardExpiry_Empty");
  });

  it("is forgotten at the next character", () => {
    expect(after("expiry", blocked, typed("1"))).toBe("Ready");
  });

  it("keeps the text", () => {
    const field = step("expiry", { ...READY, text: "12 / " }, blocked, CONTEXT);
    expect(field.text).toBe("12 / ");
  });
});

describe("an empty field", () => {
  it("has no error again once it is typed into, or left", () => {
    expect(after("cardNumber", SUBMIT, typed("4"))).toBe("Ready");
    expect(after("cardNumber", SUBMIT, BLURRED)).toBe("Ready");
  });
});

describe("another brand", () => {
  const under = (number: string): FieldContext => ({ ...CONTEXT, brand: detectBrand(number) });
  const code = (text: string, brand: string) => step("security", READY, typed(text), under(brand));
  const changed = (field: Field, brand: string) =>
    step("security", field, { type: "brand-changed" }, under(brand));

  it("judges the security code anew", () => {
    const visa = code("123", "4242");
    expect(visa.state).toBe("CompletedAndValid");
    expect(changed(visa, "3782")).toMatchObject({
      state: "ValidationError",
      errorId: "CardSecurityCode_IncompleteSecurityCode",
    });
    expect(changed(changed(visa, "3782"), "4242")).toEqual(visa);
  });

  it("says nothing of a security code that is empty", () => {
    expect(changed(READY, "3782")).toBe(READY);
    const empty = step("security", READY, SUBMIT, CONTEXT);
    expect(changed(empty, "3782")).toBe(empty);
  });

  it("changes no other field", () => {
    const name = step("cardHolderName", READY, typed("J"), CONTEXT);
    expect(step("cardHolderName", name, { type: "brand-changed" }, CONTEXT)).toBe(name);
  });
});

describe("a security code where any digits are accepted", () => {
  const anyDigits = { ...CONTEXT, experiments: { ...CONTEXT.experiments, securityCodeLength: false } };
  const states = (brand: string | null, ...events: FieldEvent[]) => {
    const context = { ...anyDigits, brand: brand === null ? null : detectBrand(brand) };
    return events.reduce((field: Field, event) => step("security", field, event, context), READY).state;
  };

  it.each([
    ["4242", 3],
    ["3782", 4],
    [null, 3],
  ])("under %s is not complete before it has %i digits", (brand, length) => {
    for (let digits = 1; digits <= 6; digits++) {
      const complete = digits >= length;
      expect(states(brand, typed("1".repeat(digits)))).toBe(complete ? "CompletedAndValid" : "Ready");
    }
  });

  it("of one digit is accepted on blur, not by paying from inside the field", () => {
    expect(states("4242", typed("1"), BLURRED)).toBe("CompletedAndValid");
    expect(states("4242", typed("1"), BLURRED, SUBMIT)).toBe("CompletedAndValid");
    expect(states("4242", typed("1"), SUBMIT)).toBe("ValidationError");
    expect(states("4242", typed("1"), BLURRED, typed("12"))).toBe("Ready");
  });
});
