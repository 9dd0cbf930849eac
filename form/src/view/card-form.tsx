// The form: saved cards or the fields of a new card, and the button that changes between them. It is one form element, so
// that browsers and password managers fill in all fields together.

import type { ReactNode } from "react";

import { ELEMENT_IDS } from "../card/element-ids.ts";
import { type FormConfig, type FormState, isDisabled, isReady, type Method } from "../card/form.ts";
import type { MessageKey } from "../i18n/text.ts";
import { CardFields } from "./card-fields.tsx";
import { useLateViews } from "./late.ts";
import { SaveCard } from "./save-card.tsx";
import { SavedCardsPlaceholder } from "./saved-cards-placeholder.tsx";
import { SavedCardsTrouble } from "./saved-cards-trouble.tsx";
import { useForm, useStore, useText } from "./store.ts";

export interface FormElementProps {
  /** What Enter and the pay button do. */
  readonly onPay: () => void;
  /** The level of the form's title. In the frame it is the document's first heading. */
  readonly heading: "h1" | "h2";
  /** Below the fields: the standalone page's pay button. */
  readonly children?: ReactNode;
}

export function CardForm({ onPay, heading: Heading, children }: FormElementProps) {
  const text = useText();
  const store = useStore();
  const method = useForm((form) => form.method);
  const list = useForm((form) => form.saved);
  const { RemoveCardDialog, SavedCardList = SavedCardsPlaceholder, Snackbar } = useLateViews();
  const offers = store.config.offersSavedCards;
  const saved = method === "saved";
  const offersSaved = hasSavedCards(list);
  return (
    <>
      <FormElement onPay={onPay}>
        {offers && (
          <SavedCardsTrouble trouble={list.trouble} onRetry={() => store.send({ type: "list-retried" })} />
        )}
        {offersSaved && !saved && !list.late && <MethodToggle to="saved" />}
        <div className="card-form-head">
          <Heading
            className={store.config.hidesTitle ? "visually-hidden" : "card-form-title"}
            id="card-form-title"
          >
            {text(store.config.isSetup ? "save_card_button" : titleOf(saved, offersSaved))}
          </Heading>
          {offers && (
            <div className="snackbar-place" role="status">
              {list.saidRemoved && Snackbar && <Snackbar />}
            </div>
          )}
        </div>
        {saved && (list.list === "loading" ? <SavedCardsPlaceholder /> : <SavedCardList />)}
        {!saved && <CardFields />}
        {!saved && store.config.offersSaving && <SaveCard />}
        {asksForMore(store.config) && <p className="save-card">{text("save_card_off_session")}</p>}
        {saved && <MethodToggle to="new" />}
        {/* Below the fields, because above them it would move them while the shopper types. */}
        {offersSaved && !saved && list.late && <MethodToggle to="saved" />}
        {children}
        <NewsRegion />
        {/* Enter submits a form with several inputs only if it has a submit button. */}
        {children === undefined && (
          <button className="visually-hidden" type="submit" tabIndex={-1} aria-hidden="true" />
        )}
      </FormElement>
      {list.confirming !== null && RemoveCardDialog && <RemoveCardDialog />}
    </>
  );
}

/** The form element. When the form becomes ready, its content is not drawn again. */
function FormElement({ onPay, children }: Pick<FormElementProps, "onPay" | "children">) {
  const { config } = useStore();
  const charging = useForm(({ submission }) => submission.phase === "charging");
  const ready = useForm((form) => isReady(config, form));
  // Submitted before hydration, a form with method "dialog" sends nothing: no card number gets into an address.
  return (
    <form
      className="card-form"
      method="dialog"
      noValidate
      aria-labelledby="card-form-title"
      aria-busy={charging}
      data-ready={ready}
      data-labels={config.floatingLabels ? "floating" : undefined}
      onSubmit={(event) => {
        event.preventDefault();
        onPay();
      }}
    >
      {children}
    </form>
  );
}

/** The live region for screen readers. It exists from the start, so that they announce what appears in it. */
function NewsRegion() {
  const { News } = useLateViews();
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {News && <News />}
    </div>
  );
}

/** Whether the pay button of a setup also means payments without the shopper. Then it must be said beside it. */
function asksForMore({ isSetup, saveCardText }: FormConfig): boolean {
  return isSetup && saveCardText === "save_card_off_session";
}

/** Whether there are saved cards, or will be when the list comes. */
function hasSavedCards({ list, cards }: FormState["saved"]): boolean {
  return list === "loading" || cards.length > 0;
}

/** "Pay with new card" if there are saved cards, otherwise "Pay with card" (docs/form.md#layout). */
function titleOf(saved: boolean, offersSaved: boolean): MessageKey {
  if (saved) {
    return "saved_cards_title";
  }
  return offersSaved ? "new_card_title" : "pay_with_card";
}

/** The button that changes between saved cards and a new card. */
function MethodToggle({ to }: { readonly to: Method }) {
  const text = useText();
  const store = useStore();
  const disabled = useForm(isDisabled);
  return (
    <div className="method-divider">
      <button
        type="button"
        className="method-toggle"
        id={to === "new" ? ELEMENT_IDS.payWithNewCard : ELEMENT_IDS.payWithSavedCard}
        disabled={disabled}
        onClick={() => store.send({ type: "method-chosen", method: to })}
      >
        {text(to === "new" ? "pay_with_new_card" : "pay_with_saved_card")}
      </button>
    </div>
  );
}
