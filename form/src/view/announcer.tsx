// The live region: there from the start, it says each new error and the detected brand once.

import { useEffect, useRef, useState } from "react";

import { FIELD_IDS, type FieldName } from "../card/field.ts";
import { brandOf, type FormField, type FormState } from "../card/form.ts";
import type { Text } from "../i18n/text.ts";
import { BRAND_LABELS } from "./brand-labels.ts";
import { useForm } from "./store.ts";
import { useText } from "./text.ts";

const NAMES: FormField[] = [...(Object.keys(FIELD_IDS) as FieldName[]), "savedSecurity"];

/** What is said; the number tells a text from the same text said again. */
interface Said {
  readonly text: string;
  readonly count: number;
}

export function Announcer() {
  const text = useText();
  const form = useForm();
  const before = useRef(form);
  const language = useRef(text);
  const [said, say] = useState<Said>({ text: "", count: 0 });

  useEffect(() => {
    const news = newsOf(before.current, form, text);
    const isOutdated = (hasError(before.current) && !hasError(form)) || language.current !== text;
    before.current = form;
    language.current = text;
    if (news.length > 0) {
      say(({ count }) => ({ text: news.join(" "), count: count + 1 }));
    } else if (isOutdated) {
      // Someone who reads through the page shall not come upon an error that is mended, or in another language.
      say(({ count }) => ({ text: "", count }));
    }
  }, [form, text]);

  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      <span key={said.count}>{said.text}</span>
    </div>
  );
}

/** The brand that was detected, and the errors of fields that had none, or another one, before. */
function newsOf(before: FormState, now: FormState, text: Text): string[] {
  const brand = brandOf(now);
  const isNew = brand !== null && brand.name !== brandOf(before)?.name;
  const errors = NAMES.flatMap((name) => {
    const { errorId } = now.fields[name];
    return errorId !== null && errorId !== before.fields[name].errorId ? [text(errorId)] : [];
  });
  return isNew ? [text("brand_detected", { brand: BRAND_LABELS[brand.name] }), ...errors] : errors;
}

function hasError({ fields }: FormState): boolean {
  return NAMES.some((name) => fields[name].errorId !== null);
}
