// The form page in its language: the form in a frame, or the payment page.

import { useLayoutEffect, useSyncExternalStore } from "react";

import type { FormPage } from "../../generated/wire.ts";
import { isOver } from "../card/form.ts";
import type { FormStore } from "../form-store.ts";
import type { LanguageStore } from "../i18n/language.ts";
import { CardForm } from "./card-form.tsx";
import { useLateViews } from "./late.ts";
import { Standalone } from "./standalone.tsx";
import { StoreContext, TextContext, useForm, useStore, useText } from "./store.ts";

export interface FormAppProps {
  readonly page: FormPage;
  readonly store: FormStore;
  readonly language: LanguageStore;
  /** Called once the page is drawn and its inputs are connected to the machine. */
  readonly onReady?: () => void;
}

export function FormApp({ page, store, language, onReady }: FormAppProps) {
  // After those of the fields, and before the browser paints: the parent waits for the form's first message.
  useLayoutEffect(() => onReady?.(), [onReady]);
  const text = useSyncExternalStore(language.subscribe, language.text, language.text);
  return (
    <TextContext value={text}>
      <StoreContext value={store}>
        {page.standalone ? <Standalone page={page} language={language} /> : <Embedded page={page} />}
        <OutcomeRegion page={page} />
      </StoreContext>
    </TextContext>
  );
}

/** The form in a merchant's page. The pay button is the parent's; Enter sends a message to it. */
function Embedded({ page }: { readonly page: FormPage }) {
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

/**
 * Says that the payment is under way, and how it ended. A card that is only saved is no payment. It is outside of the form,
 * which is busy meanwhile.
 */
function OutcomeRegion({ page }: { readonly page: FormPage }) {
  const { OutcomeNews } = useLateViews();
  const text = useText();
  const over = useForm(({ submission }) => isOver(submission, page.standalone));
  const { isSetup } = useStore().config;
  const paying = useForm(({ submission }) => !isSetup && submission.phase !== "open");
  return (
    <div className="visually-hidden" role="status" id="outcome-news">
      {over ? OutcomeNews && <OutcomeNews page={page} /> : paying && text("paying")}
    </div>
  );
}
