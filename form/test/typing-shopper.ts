// A shopper for tests who types without looking. Each key goes through the real masks and the real machine to the field
// that has the focus, as in the page.

import { detectBrand } from "../src/card/brand.ts";
import type { FieldName } from "../src/card/field.ts";
import type { FormConfig, FormField } from "../src/card/form.ts";
import { blockedKey, type Edit, reformat } from "../src/card/mask.ts";
import { CONFIG, driveForm, TODAY } from "./driven-form.ts";

/** A shopper at a form with the focus in its first field. */
export function typingShopper(config: FormConfig = CONFIG) {
  const form = driveForm(config);
  let focus: FieldName = config.fields[0] ?? "cardNumber";
  const brand = () => detectBrand(form.state().fields.cardNumber.text);

  const go = (field: FormField) => {
    if (field !== focus && field !== "savedExpiry" && field !== "savedSecurity") {
      form.send({ type: "field", name: focus, event: { type: "blurred" } });
      focus = field;
    }
  };
  const follow = () => {
    for (const effect of form.effects()) {
      if (effect.type === "focus") {
        go(effect.field);
      }
    }
  };
  const edit = (inserted: string, inputType: string) => {
    const name = focus;
    const { text } = form.state().fields[name];
    const context = { experiments: config.experiments, today: TODAY, brand: brand(), country: "US" };
    const refused = inputType === "insertText" ? blockedKey(name, inserted) : null;
    if (refused !== null) {
      form.send({ type: "field", name, event: { type: "key-blocked", errorId: refused } });
      return;
    }
    const put = inputType === "deleteContentBackward" ? text.slice(0, -1) : text + inserted;
    const edited = reformat(name, whole(text), whole(put), inputType, context);
    if (edited.text !== text) {
      form.type(
        name,
        edited.text,
        inputType !== "deleteContentBackward" && edited.end === edited.text.length,
      );
    }
    follow();
  };

  const shopper = {
    form,
    focus: () => focus,
    text: (name: FieldName) => form.state().fields[name].text,
    /** Presses each key of `keys`. A tab goes to the next field; `<` is Backspace. */
    type: (keys: string) => {
      for (const key of keys) {
        if (key === "\t") {
          go(config.fields[config.fields.indexOf(focus) + 1] ?? focus);
        } else {
          edit(key === "<" ? "" : key, key === "<" ? "deleteContentBackward" : "insertText");
        }
      }
      return shopper;
    },
    paste: (text: string) => {
      edit(text, "insertFromPaste");
      return shopper;
    },
    /** The texts of the three fields, the number without spaces. */
    card: () =>
      [
        shopper.text("cardNumber").replaceAll(" ", ""),
        shopper.text("expiry"),
        shopper.text("security"),
      ] as const,
  };
  return shopper;
}

function whole(text: string): Edit {
  return { text, start: text.length, end: text.length };
}
