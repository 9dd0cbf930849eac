// The live region for screen readers. It announces each new error and the detected brand once.

import { useEffect, useRef, useState } from "react";

import { BRAND_LABELS } from "../../generated/rules.ts";
import { FIELD_NAMES } from "../card/field.ts";
import { brandOf, type FormField, type FormState } from "../card/form.ts";
import type { Text } from "../i18n/text.ts";
import { useStore } from "./store.ts";
import { useText } from "./text.ts";

const NAMES: FormField[] = [...FIELD_NAMES, "savedSecurity"];

/** An announcement. The count tells a text from the same text announced again. */
interface Announcement {
  readonly text: string;
  readonly count: number;
}

export function Announcer() {
  const text = useText();
  const store = useStore();
  const before = useRef(store.state());
  const language = useRef(text);
  const [said, say] = useState<Announcement>({ text: "", count: 0 });

  useEffect(() => {
    const listen = () => {
      const form = store.state();
      const news = newsOf(before.current, form, text);
      const isOutdated = (hasError(before.current) && !hasError(form)) || language.current !== text;
      before.current = form;
      language.current = text;
      if (news.length > 0) {
        say(({ count }) => ({ text: news.join(" "), count: count + 1 }));
      } else if (isOutdated) {
        // Someone who reads through the page must not find an error that is corrected, or one in the old language.
        say(({ count }) => ({ text: "", count }));
      }
    };
    listen();
    return store.subscribe(listen);
  }, [store, text]);

  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      <span key={said.count}>{said.text}</span>
    </div>
  );
}

/** The newly detected brand, and the new errors. */
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
