// The form in a merchant's page. The pay button is the parent's; Enter sends a message to it.

import type { FormPage } from "../../generated/wire.ts";
import { isOver } from "../card/form.ts";
import { CardForm } from "./card-form.tsx";
import { useLateViews } from "./late.ts";
import { useForm, useStore } from "./store.ts";

export function Embedded({ page }: { readonly page: FormPage }) {
  const store = useStore();
  const { Outcome } = useLateViews();
  const submission = useForm(({ submission }) => submission);
  return (
    <main className="embedded">
      {isOver(submission, page.standalone) ? (
        Outcome && <Outcome page={page} />
      ) : (
        <CardForm heading="h1" onPay={() => store.send({ type: "enter-pressed" })} />
      )}
    </main>
  );
}
