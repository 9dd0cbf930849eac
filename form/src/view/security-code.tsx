// The security code, with a picture of where it is on the card: three digits on the back, four on the front. The style
// sheet draws the picture.

import type { ReactNode } from "react";

import { brandFor, type FormField } from "../card/form.ts";
import { shortestSecurityCode } from "../card/security-code.ts";
import { Field } from "./field.tsx";
import { useForm } from "./store.ts";

/** A code of four digits is on the front of the card. */
const FRONT_LENGTH = 4;

export function SecurityCode({
  name,
  id,
  note,
}: {
  readonly name: Extract<FormField, "security" | "savedSecurity">;
  readonly id?: string;
  readonly note?: ReactNode;
}) {
  const isOnFront = useForm((form) => shortestSecurityCode(brandFor(form, name)) === FRONT_LENGTH);
  return (
    <Field
      name={name}
      {...(id !== undefined && { id })}
      note={note}
      hint={isOnFront ? "code_on_front" : "code_on_back"}
      adornment={
        <span className="code-on-card" data-side={isOnFront ? "front" : "back"} aria-hidden="true" />
      }
    />
  );
}
