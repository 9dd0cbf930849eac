// The security code, with a picture of where it stands on the card: three digits on the back, four on the front.
// The style sheet draws it.

import { brandFor, type FormField } from "../card/form.ts";
import { shortestSecurityCode } from "../card/security-code.ts";
import { Field } from "./field.tsx";
import { useForm } from "./store.ts";

/** The digits on the front are four, as American Express has them. */
const FRONT_LENGTH = 4;

export function SecurityCode({
  name,
  id,
}: {
  readonly name: Extract<FormField, "security" | "savedSecurity">;
  readonly id?: string;
}) {
  const brand = brandFor(useForm(), name);
  const isOnFront = shortestSecurityCode(brand) === FRONT_LENGTH;
  return (
    <Field
      name={name}
      {...(id !== undefined && { id })}
      hint={isOnFront ? "code_on_front" : "code_on_back"}
      adornment={
        <span className="code-on-card" data-side={isOnFront ? "front" : "back"} aria-hidden="true" />
      }
    />
  );
}
