// Posts the form's content to the parent, without any typed text: `change` (docs/messages.md#from-the-form).

import type { FieldSummary, FromForm } from "../../generated/wire.ts";
import { FIELD_IDS } from "../card/field.ts";
import { askedFields, brandFor, type FormConfig, type FormState, isReady, ruleOf } from "../card/form.ts";
import type { FormStore } from "../form-store.ts";

/** The form's content now. */
export function formChange(config: FormConfig, state: FormState): Extract<FromForm, { type: "change" }> {
  const asked = askedFields(config, state);
  const errors: Record<string, string> = {};
  const fields: Record<string, FieldSummary> = {};
  for (const name of asked) {
    const { text, state: reached, errorId } = state.fields[name];
    const id = FIELD_IDS[ruleOf(name)];
    fields[id] = { complete: reached === "CompletedAndValid", empty: text === "" };
    if (errorId !== null) {
      errors[id] = errorId;
    }
  }
  const brand = brandFor(state, state.method === "saved" ? "savedSecurity" : "cardNumber");
  return {
    type: "change",
    brand: brand?.name ?? "",
    complete: isReady(config, state),
    empty: Object.values(fields).every(({ empty }) => empty),
    errors,
    fields,
  };
}

/** Posts the form's content now and at each change of it. */
export function tellChanges(store: FormStore, post: (message: FromForm) => void): void {
  let told = "";
  const tell = () => {
    const change = formChange(store.config, store.state());
    const written = JSON.stringify(change);
    if (written !== told) {
      told = written;
      post(change);
    }
  };
  store.subscribe(tell);
  tell();
}
