// One field: label, input, what stands at its right, and its error line.

import { type ReactNode, useState } from "react";

import { FIELD_IDS } from "../card/field.ts";
import { type FormField, isDisabled, ruleOf } from "../card/form.ts";
import type { MessageKey } from "../i18n/text.ts";
import { ErrorIcon } from "./icons.tsx";
import { useForm, useStore } from "./store.ts";
import { useText } from "./text.ts";
import { useFieldInput } from "./use-field-input.ts";

/** How each field presents itself to the shopper, the browser and the keyboard of a phone. */
const FIELDS: Readonly<
  Record<FormField, { label: MessageKey; autoComplete: string; inputMode: "numeric" | "text" | "email" }>
> = {
  cardNumber: { label: "card_number", autoComplete: "cc-number", inputMode: "numeric" },
  expiry: { label: "card_expiry", autoComplete: "cc-exp", inputMode: "numeric" },
  security: { label: "card_security_code", autoComplete: "cc-csc", inputMode: "numeric" },
  savedSecurity: { label: "input_security_code", autoComplete: "cc-csc", inputMode: "numeric" },
  cardHolderName: { label: "card_holder_name", autoComplete: "cc-name", inputMode: "text" },
  cardHolderEmail: { label: "card_holder_email", autoComplete: "email", inputMode: "email" },
};

export interface FieldProps {
  readonly name: FormField;
  /** The input's id where it is not the field's identifier. */
  readonly id?: string;
  /** The longest text, where the field has one. */
  readonly maxLength?: number;
  readonly placeholder?: string;
  /** What the label is called in full, where it is short for something. */
  readonly fullLabel?: MessageKey;
  /** What stands beside the label. */
  readonly aside?: ReactNode;
  /** What the input is described by before anything is wrong, for those who do not see what stands in it. */
  readonly hint?: MessageKey;
  /** What stands inside the input at its end. */
  readonly adornment?: ReactNode;
  /** Further attributes of the input. */
  readonly data?: Readonly<Record<`data-${string}`, string>>;
}

export function Field({
  name,
  id = FIELD_IDS[ruleOf(name)],
  maxLength,
  placeholder,
  fullLabel,
  aside,
  hint,
  adornment,
  data,
}: FieldProps) {
  const text = useText();
  const store = useStore();
  const form = useForm();
  const field = form.fields[name];
  const [initialText] = useState(field.text);
  const input = useFieldInput(store, name, field.text);
  const { label, autoComplete, inputMode } = FIELDS[name];
  const errorLine = `${id}-error`;
  const hintLine = `${id}-hint`;
  const described = [hint && hintLine, field.errorId !== null && errorLine].filter(Boolean).join(" ");
  const last = name === "savedSecurity" || store.config.fields.at(-1) === name;

  return (
    <div className={`field field-${FIELD_IDS[ruleOf(name)]}`}>
      <div className="field-head">
        <label className="field-label" htmlFor={id}>
          {fullLabel ? (
            <>
              <span className="visually-hidden">{text(fullLabel)} </span>
              {/* As in the input, the month stands at the left in every language. */}
              <span dir="ltr">{text(label)}</span>
            </>
          ) : (
            text(label)
          )}
        </label>
        {aside}
      </div>
      <div className="field-box">
        <input
          ref={input}
          id={id}
          className="field-input"
          type="text"
          dir={name === "cardHolderName" ? "auto" : "ltr"}
          inputMode={inputMode}
          autoComplete={autoComplete}
          autoCapitalize={name === "cardHolderName" ? "words" : "off"}
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint={last ? "done" : "next"}
          maxLength={maxLength}
          // A floating label sees by the placeholder whether there is something in the input, also before hydration.
          placeholder={placeholder ?? (store.config.floatingLabels ? " " : undefined)}
          defaultValue={initialText}
          disabled={isDisabled(form)}
          aria-required="true"
          aria-invalid={field.errorId !== null}
          aria-describedby={described || undefined}
          data-state={field.state}
          {...data}
        />
        {adornment}
        {hint && (
          <span id={hintLine} hidden>
            {text(hint)}
          </span>
        )}
      </div>
      <p className="field-error" id={errorLine} data-error-id={field.errorId ?? ""}>
        {field.errorId !== null && (
          <>
            <ErrorIcon />
            <span>{text(field.errorId)}</span>
          </>
        )}
      </p>
    </div>
  );
}
