// The form: saved cards or the fields of a new card, with the way from one to the other. One real form element, so
// that browsers and password managers fill it in one go.

import { lazy, type ReactNode, Suspense, useEffect } from "react";

import { type FormState, isDisabled, isReady, type Method } from "../card/form.ts";
import type { MessageKey } from "../i18n/text.ts";
import { Announcer } from "./announcer.tsx";
import { CardFields } from "./card-fields.tsx";
import { SaveCard } from "./save-card.tsx";
import { SavedCardList } from "./saved-card-list.tsx";
import { RemovedSnackbar, SavedCardsTroubleCard } from "./saved-card-notices.tsx";
import { useForm, useStore } from "./store.ts";
import { useText } from "./text.ts";

/** Loaded when the first card is to be removed; when that fails, the card stays. */
const RemoveCardDialog = lazy(() =>
  import("./remove-card-dialog.tsx").then(
    ({ RemoveCardDialog }) => ({ default: RemoveCardDialog as () => ReactNode }),
    () => ({ default: NoDialog }),
  ),
);

function NoDialog(): ReactNode {
  const store = useStore();
  useEffect(() => store.send({ type: "removal-canceled" }), [store]);
  return null;
}

export interface FormElementProps {
  /** What Enter and the pay button do. */
  readonly onPay: () => void;
  /** How deep the form's title stands: in the frame it is the document's first. */
  readonly heading: "h1" | "h2";
  /** Below the fields: the standalone page's pay button. */
  readonly children?: ReactNode;
}

export function CardForm({ onPay, heading: Heading, children }: FormElementProps) {
  const text = useText();
  const store = useStore();
  const form = useForm();
  const saved = form.method === "saved";
  const offersSaved = hasSavedCards(form);
  return (
    <>
      {/* Sent before hydration, a form of method "dialog" goes nowhere: no card number ever lands in an address. */}
      <form
        className="card-form"
        method="dialog"
        noValidate
        aria-labelledby="card-form-title"
        aria-busy={form.submission.phase === "charging"}
        data-ready={isReady(store.config, form)}
        data-labels={store.config.floatingLabels ? "floating" : undefined}
        onSubmit={(event) => {
          event.preventDefault();
          onPay();
        }}
      >
        {store.config.offersSavedCards && <SavedCardsTroubleCard />}
        {offersSaved && !saved && !form.saved.late && <MethodToggle to="saved" />}
        <div className="card-form-head">
          <Heading className="card-form-title" id="card-form-title">
            {text(titleOf(form))}
          </Heading>
          {store.config.offersSavedCards && <RemovedSnackbar />}
        </div>
        {saved ? <SavedCardList /> : <CardFields />}
        {!saved && store.config.offersSaving && <SaveCard />}
        {saved && <MethodToggle to="new" />}
        {/* Above the fields it would push them away under the finger that types into them. */}
        {offersSaved && !saved && form.saved.late && <MethodToggle to="saved" />}
        {children}
        <Announcer />
        {/* A form with several inputs is sent by Enter only when it has a button to send it. */}
        {children === undefined && (
          <button className="visually-hidden" type="submit" tabIndex={-1} aria-hidden="true" />
        )}
      </form>
      {form.saved.confirming !== null && (
        <Suspense>
          <RemoveCardDialog />
        </Suspense>
      )}
    </>
  );
}

/** Whether there are saved cards to go to, or will be when the list has come. */
function hasSavedCards({ saved }: FormState): boolean {
  return saved.list === "loading" || saved.cards.length > 0;
}

/** "Pay with new card" when saved cards exist, otherwise "pay with card" (docs/form.md#layout). */
function titleOf(form: FormState): MessageKey {
  if (form.method === "saved") {
    return "saved_cards_title";
  }
  return hasSavedCards(form) ? "new_card_title" : "pay_with_card";
}

/** The divider between saved cards and a new card; pressing it goes over. */
function MethodToggle({ to }: { readonly to: Method }) {
  const text = useText();
  const store = useStore();
  const form = useForm();
  return (
    <div className="method-divider">
      <button
        type="button"
        className="method-toggle"
        id={to === "new" ? "pay-with-new-card" : "pay-with-saved-card"}
        disabled={isDisabled(form)}
        onClick={() => store.send({ type: "method-chosen", method: to })}
      >
        {text(to === "new" ? "pay_with_new_card" : "pay_with_saved_card")}
      </button>
    </div>
  );
}
