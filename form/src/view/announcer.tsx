// The live region: there from the start, it says each new error once.

import { useEffect, useRef, useState } from "react";

import type { FormState } from "../card/form.ts";
import { useForm } from "./store.ts";
import { useText } from "./text.ts";

export function Announcer() {
  const text = useText();
  const form = useForm();
  const before = useRef(form);
  const [said, say] = useState("");

  useEffect(() => {
    const news = newErrors(before.current, form);
    before.current = form;
    if (news.length > 0) {
      say(news.map((key) => text(key)).join(" "));
    }
  }, [form, text]);

  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {said}
    </div>
  );
}

/** The errors of fields that had none, or another one, before. */
function newErrors(before: FormState, now: FormState) {
  return Object.entries(now.fields).flatMap(([name, field]) => {
    const known = before.fields[name as keyof FormState["fields"]].errorId;
    return field.errorId !== null && field.errorId !== known ? [field.errorId] : [];
  });
}
