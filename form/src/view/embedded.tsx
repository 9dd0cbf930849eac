// The form in a merchant's page. The pay button is the parent's; Enter sends a message to it.

import type { FormPage } from "../../generated/wire.ts";
import { CardForm } from "./card-form.tsx";
import { isOver, Outcome } from "./outcome.tsx";
import { useForm, useStore } from "./store.ts";

export function Embedded({ page }: { readonly page: FormPage }) {
  const store = useStore();
  const submission = useForm(({ submission }) => submission);
  return (
    <main className="embedded">
      {isOver(page, submission) ? (
        <Outcome page={page} />
      ) : (
        <CardForm heading="h1" onPay={() => store.send({ type: "enter-pressed" })} />
      )}
    </main>
  );
}
