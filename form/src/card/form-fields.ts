// The form's fields: how typing, leaving a field and a failed attempt to pay change them, and where the focus goes
// (docs/field-states.md).

import { detectBrand, lengthsOf, usualLengthOf } from "./brand.ts";
import { onlyDigits } from "./characters.ts";
import type { Month } from "./expiry.ts";
import { type FieldEvent, type FieldName, ofEachField, READY, step } from "./field.ts";
import {
  askedFields,
  brandFor,
  type Effect,
  type FormConfig,
  type FormEvent,
  type FormField,
  type FormState,
  fieldAction,
  isDisabled,
  ruleOf,
  type Step,
  stay,
} from "./form-state.ts";
import { splitEntry } from "./split-entry.ts";

export const UNTOUCHED: FormState["fields"] = {
  ...ofEachField(() => READY),
  savedExpiry: READY,
  savedSecurity: READY,
};

/** The state with the new card's fields emptied, except for prefilled texts. */
export function withNewCardCleared(config: FormConfig, state: FormState, today: Month): FormState {
  const { savedExpiry, savedSecurity } = state.fields;
  const fields = { ...UNTOUCHED, savedExpiry, savedSecurity };
  return withPrefill(config, { ...state, fields, movedOn: {} }, today);
}

/** The state with the prefilled texts in fields that are empty. */
export function withPrefill(config: FormConfig, state: FormState, today: Month): FormState {
  const empty = Object.entries(config.prefill).filter(
    ([name]) => state.fields[name as FieldName].text === "",
  );
  return empty.reduce<FormState>(
    (form, [name, text]) => withField(config, form, name as FieldName, { type: "typed", text }, today),
    state,
  );
}

/** The state with the saved card's fields emptied: they belong to the card that was selected before. */
export function withSavedFieldsCleared(state: FormState): FormState {
  const { savedExpiry: _, savedSecurity: __, ...movedOn } = state.movedOn;
  return { ...state, fields: { ...state.fields, savedExpiry: READY, savedSecurity: READY }, movedOn };
}

export function fieldChanged(
  config: FormConfig,
  before: FormState,
  { name, event, atEnd = false }: Extract<FormEvent, { type: "field" }>,
  today: Month,
): Step {
  if (isDisabled(before)) {
    return stay(before);
  }
  const state = withField(config, before, name, event, today);
  const effects: Effect[] = [];
  if (event.type === "typed") {
    effects.push(fieldAction("cardFormInputChanged", name));
  }
  if (event.type === "blurred") {
    effects.push(fieldAction("cardFormInputBlurred", name));
  }
  const { errorId } = state.fields[name];
  if (errorId !== null && errorId !== before.fields[name].errorId) {
    effects.push(fieldAction("cardFormInputError", name));
  }
  const mayHoldExpiry = atEnd && name === "cardNumber" && errorId !== null && !before.movedOn.cardNumber;
  const split = mayHoldExpiry ? expiryMovedOut(config, state, today) : null;
  if (split !== null) {
    return { state: split.state, effects: [...effects, ...split.effects] };
  }
  const following = atEnd ? fieldAfter(config, name) : null;
  if (following === null || !movesOn(before, state, name)) {
    return { state, effects };
  }
  return {
    state: { ...state, movedOn: { ...state.movedOn, [name]: true } },
    effects: [...effects, { type: "focus", field: following }],
  };
}

/** Moves digits of the expiry that were typed into the card number to their own field, and the focus with them. */
function expiryMovedOut(config: FormConfig, state: FormState, today: Month): Step | null {
  const { cardNumber, expiry, security } = state.fields;
  const areEmpty = expiry.text === "" && security.text === "";
  const entry = areEmpty ? splitEntry(cardNumber.text, today, config.experiments.expiryLimit) : null;
  if (entry === null) {
    return null;
  }
  const number = withField(config, state, "cardNumber", { type: "typed", text: entry.cardNumber }, today);
  const moved = { ...number, movedOn: { ...number.movedOn, cardNumber: true as const } };
  const step = fieldChanged(
    config,
    moved,
    { type: "field", name: "expiry", event: { type: "typed", text: entry.expiry }, atEnd: true },
    today,
  );
  return { state: step.state, effects: [{ type: "focus", field: "expiry" }, ...step.effects] };
}

/** The state after `event` at one field. A new brand of the card number changes the security code, too. */
function withField(
  config: FormConfig,
  state: FormState,
  name: FormField,
  event: FieldEvent,
  today: Month,
): FormState {
  const context = {
    experiments: config.experiments,
    today,
    brand: brandFor(state, name),
    country: config.country,
  };
  const field = step(ruleOf(name), state.fields[name], event, context);
  let fields = { ...state.fields, [name]: field };
  const brand = detectBrand(fields.cardNumber.text);
  if (name === "cardNumber" && brand !== context.brand) {
    const security = step("security", fields.security, { type: "brand-changed" }, { ...context, brand });
    fields = { ...fields, security };
  }
  const { [name]: _, ...others } = state.movedOn;
  const keepsMoved = field.text !== "" && field.state !== "ValidationError" && state.movedOn[name];
  return {
    ...state,
    fields,
    movedOn: keepsMoved ? state.movedOn : others,
    // The message of a failed payment stays until the shopper changes a field.
    failure: event.type === "typed" ? null : state.failure,
  };
}

/** Whether the focus moves on because the field is complete now (docs/field-states.md#when-the-focus-moves-on). */
function movesOn(before: FormState, after: FormState, name: FormField): boolean {
  const moving =
    (name === "cardNumber" && isWhole(after)) || ruleOf(name) === "expiry" || name === "security";
  return moving && after.fields[name].state === "CompletedAndValid" && !before.movedOn[name];
}

/** Whether the card number has its usual length or its longest. */
function isWhole({ fields }: FormState): boolean {
  const { text } = fields.cardNumber;
  const { length } = onlyDigits(text);
  return length === usualLengthOf(text) || length === lengthsOf(detectBrand(text)).at(-1);
}

function fieldAfter(config: FormConfig, name: FormField): FormField | null {
  if (name === "savedExpiry") {
    return "savedSecurity";
  }
  return name === "savedSecurity" ? null : (config.fields[config.fields.indexOf(name) + 1] ?? null);
}

/** Each missing or wrong field shows its error, and the first one gets the focus (docs/form.md#ready). */
export function showWhatIsMissing(config: FormConfig, before: FormState, today: Month): Step {
  if (isDisabled(before)) {
    return stay(before);
  }
  const attempted: FieldEvent = { type: "submit-attempted" };
  const asked = askedFields(config, before);
  const state = asked.reduce((form, name) => withField(config, form, name, attempted, today), before);
  const wrong = asked.filter((name) => state.fields[name].state !== "CompletedAndValid");
  const errors = wrong.filter((name) => state.fields[name].errorId !== before.fields[name].errorId);
  const first = wrong[0];
  return {
    state,
    effects: [
      ...errors.map((name) => fieldAction("cardFormInputError", name)),
      ...(first === undefined ? [] : [{ type: "focus", field: first } as const]),
    ],
  };
}
