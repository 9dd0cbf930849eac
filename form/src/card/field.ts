// A field of the card form: its text, its four states and how events change them. The states are drawn in
// docs/field-states.md#the-states.

import { type Brand, type ErrorId, FIELD_IDS, type FieldName } from "../../generated/rules.ts";
import { judgeExpiry, type Month } from "./expiry.ts";
import { judgeHolderEmail } from "./holder-email.ts";
import { judgeHolderName } from "./holder-name.ts";
import { judgeNumber } from "./number.ts";
import { judgePostalCode } from "./postal-code.ts";
import { judgeSecurityCode, shortestSecurityCode } from "./security-code.ts";
import { incomplete, type Verdict } from "./verdict.ts";

export { FIELD_IDS, type FieldName };

/** Every field, the card's own first. */
export const FIELD_NAMES = Object.keys(FIELD_IDS) as readonly FieldName[];

export function ofEachField<Value>(value: (name: FieldName) => Value): Record<FieldName, Value> {
  return Object.fromEntries(FIELD_NAMES.map((name) => [name, value(name)])) as Record<FieldName, Value>;
}

/** The four states. The error is shown in ValidationError, and in Empty with an error id. */
export type FieldState = "Ready" | "ValidationError" | "Empty" | "CompletedAndValid";

/** A field's text, state and error. */
export interface Field {
  readonly text: string;
  readonly state: FieldState;
  readonly errorId: ErrorId | null;
}

/** The experiments that change what is valid (docs/experiments.md#the-eight). */
export interface FieldExperiments {
  luhn: boolean;
  securityCodeLength: boolean;
  expiryLimit: boolean;
}

/** The context of the rules. `brand` is the brand of the card number or of the saved card, `country` the card's. */
export interface FieldContext {
  experiments: FieldExperiments;
  today: Month;
  brand: Brand | null;
  country: string;
}

/** The events of a field. The security code gets `brand-changed` when the number's brand changes. */
export type FieldEvent =
  | { type: "typed"; text: string }
  | { type: "blurred" }
  | { type: "key-blocked"; errorId: ErrorId }
  | { type: "submit-attempted" }
  | { type: "brand-changed" };

export const READY: Field = { text: "", state: "Ready", errorId: null };

/** The next state, by event and verdict. */
type Transitions = Readonly<
  Record<"typed" | "blurred" | "submit-attempted", Readonly<Record<Verdict["kind"], FieldState>>>
>;

const GENERIC: Transitions = {
  typed: {
    empty: "Ready",
    incomplete: "Ready",
    wrong: "Ready",
    valid: "CompletedAndValid",
  },
  blurred: {
    empty: "Ready",
    incomplete: "ValidationError",
    wrong: "ValidationError",
    valid: "CompletedAndValid",
  },
  "submit-attempted": {
    empty: "Empty",
    incomplete: "ValidationError",
    wrong: "ValidationError",
    valid: "CompletedAndValid",
  },
};

/** An error that more digits cannot fix is shown at once. An expiry that is shorter than MM/YY is "incomplete". */
const EAGER: Transitions = { ...GENERIC, typed: { ...GENERIC.typed, wrong: "ValidationError" } };

function transitionsOf(name: FieldName): Transitions {
  return name === "cardNumber" || name === "expiry" ? EAGER : GENERIC;
}

/** The verdict of the rules of `name` on `text`. */
export function judge(name: FieldName, text: string, context: FieldContext): Verdict {
  const { experiments, today, brand, country } = context;
  switch (name) {
    case "cardNumber":
      return judgeNumber(text, experiments.luhn);
    case "expiry":
      return judgeExpiry(text, today, experiments.expiryLimit);
    case "security":
      return judgeSecurityCode(text, brand, experiments.securityCodeLength);
    case "cardHolderName":
      return judgeHolderName(text);
    case "cardPostalCode":
      return judgePostalCode(text, country);
    case "cardHolderEmail":
      return judgeHolderEmail(text);
  }
}

/** A short security code is incomplete until the field is left. If any digits are accepted, its first would complete the field. */
function judgeAt(event: keyof Transitions, name: FieldName, field: Field, context: FieldContext): Verdict {
  const verdict = judge(name, field.text, context);
  const isShort = name === "security" && field.text.length < shortestSecurityCode(context.brand);
  const isLeft = event === "blurred" || (event === "submit-attempted" && field.state === "CompletedAndValid");
  return verdict.kind === "valid" && isShort && !isLeft
    ? incomplete("CardSecurityCode_IncompleteSecurityCode")
    : verdict;
}

/** The field after the event. */
export function step(name: FieldName, field: Field, event: FieldEvent, context: FieldContext): Field {
  switch (event.type) {
    case "typed":
      return judged(name, { ...field, text: event.text }, "typed", context);
    case "blurred":
    case "submit-attempted":
      return judged(name, field, event.type, context);
    case "brand-changed":
      return withBrand(name, field, context);
    case "key-blocked":
      // The error says why the key did nothing. A field that is valid, or shows an error already, keeps its state.
      return field.state === "Ready" ? { ...field, state: "ValidationError", errorId: event.errorId } : field;
  }
}

/** Another brand may have a longer or shorter security code, so the code is judged again. */
function withBrand(name: FieldName, field: Field, context: FieldContext): Field {
  if (name !== "security" || field.text === "") return field;
  return judged(name, field, field.state === "Ready" ? "typed" : "blurred", context);
}

function judged(name: FieldName, field: Field, event: keyof Transitions, context: FieldContext): Field {
  const { text } = field;
  const verdict = judgeAt(event, name, field, context);
  const state = transitionsOf(name)[event][verdict.kind];
  const isShown = state === "ValidationError" || state === "Empty";
  return { text, state, errorId: isShown && verdict.kind !== "valid" ? verdict.errorId : null };
}
