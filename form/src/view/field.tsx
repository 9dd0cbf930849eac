// One field: label, input, the icons at its end, and its error line.

import { type ReactNode, useState } from "react";
import { FIELD_INPUTS, LIMITS } from "../../generated/rules.ts";
import { errorLineId } from "../card/element-ids.ts";
import { FIELD_IDS } from "../card/field.ts";
import { type FormField, isDisabled, ruleOf } from "../card/form.ts";
import type { MessageKey } from "../i18n/text.ts";
import { ErrorIcon } from "./icons.tsx";
import { useForm, useStore, useText } from "./store.ts";
import { useFieldInput } from "./use-field-input.ts";

export interface FieldProps {
  readonly name: FormField;
  /** The input's id, if it is not the field's usual one. */
  readonly id?: string;
  readonly placeholder?: string;
  /** The long form of a short label, for screen readers. */
  readonly fullLabel?: MessageKey;
  /** Shown beside the label. */
  readonly aside?: ReactNode;
  /** A description of the input for screen readers. */
  readonly hint?: MessageKey;
  /** Shown in the line of the error while there is none. */
  readonly note?: ReactNode;
  /** Shown inside the input at its end. */
  readonly adornment?: ReactNode;
  /** Further attributes of the input. */
  readonly data?: Readonly<Record<`data-${string}`, string>>;
}

export function Field({
  name,
  id = FIELD_IDS[ruleOf(name)],
  placeholder,
  fullLabel,
  aside,
  hint,
  note,
  adornment,
  data,
}: FieldProps) {
  const text = useText();
  const store = useStore();
  const reached = useForm(({ fields }) => fields[name].state);
  const errorId = useForm(({ fields }) => fields[name].errorId);
  const disabled = useForm(isDisabled);
  const [initialText] = useState(() => store.state().fields[name].text);
  const input = useFieldInput(store, name);
  const { label: usualLabel, autoComplete, inputMode } = FIELD_INPUTS[ruleOf(name)];
  const isSavedSecurity = name === "savedSecurity";
  const label = isSavedSecurity ? "input_security_code" : usualLabel;
  const errorLine = errorLineId(id);
  const hintLine = `${id}-hint`;
  const described = [hint && hintLine, errorId !== null && errorLine].filter(Boolean).join(" ");
  const last = isSavedSecurity || store.config.fields.at(-1) === name;

  return (
    <div className={`field field-${FIELD_IDS[ruleOf(name)]}`}>
      <div className="field-head">
        <label className="field-label" htmlFor={id}>
          {fullLabel ? (
            <>
              <span className="visually-hidden">{text(fullLabel)} </span>
              {/* As in the input, the month is on the left in every language. */}
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
          // A phone shows its digits for a ZIP code.
          inputMode={name === "cardPostalCode" && store.config.country === "US" ? "numeric" : inputMode}
          autoComplete={autoComplete}
          autoCapitalize={name === "cardHolderName" ? "words" : "off"}
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint={last ? "done" : "next"}
          maxLength={name === "cardHolderEmail" ? LIMITS.holderEmailInputLengthMax : undefined}
          // The style of a floating label uses the placeholder to know whether the input is empty, also before hydration.
          placeholder={placeholder ?? (store.config.floatingLabels ? " " : undefined)}
          defaultValue={initialText}
          // Not `disabled`, which would take the focus away while the payment is under way.
          aria-disabled={disabled}
          // The shopper can always correct a wrong text.
          readOnly={
            disabled ||
            (name === "cardHolderEmail" && store.config.readOnlyEmail && reached === "CompletedAndValid")
          }
          aria-required="true"
          aria-invalid={errorId !== null}
          aria-describedby={described || undefined}
          data-state={reached}
          {...data}
        />
        {adornment}
        {hint && (
          <span id={hintLine} hidden>
            {text(hint)}
          </span>
        )}
      </div>
      <p className="field-error" id={errorLine} data-error-id={errorId ?? ""}>
        {errorId === null ? (
          note
        ) : (
          <>
            <ErrorIcon />
            <span>{text(errorId)}</span>
          </>
        )}
      </p>
    </div>
  );
}
