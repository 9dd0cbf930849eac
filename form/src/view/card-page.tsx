// The card page: the shopper's cards with their names, and the form that adds one (docs/card-page.md).

import { useEffect } from "react";

import type { FormPage } from "../../generated/wire.ts";
import {
  ADD_CARD_ID,
  type CardPageEvent,
  type CardPageState,
  type OwnCard,
  ownCardId,
  TITLE_ID,
} from "../card/card-page.ts";
import { ELEMENT_IDS } from "../card/element-ids.ts";
import type { Month } from "../card/expiry.ts";
import { isOver } from "../card/form.ts";
import type { FormStore } from "../form-store.ts";
import type { LanguageStore } from "../i18n/language.ts";
import { Challenge, Outcome, PageMenus, RemovalDialog } from "./late-views.ts";
import { OwnCardRow } from "./own-card.tsx";
import { SavedCardsTrouble } from "./saved-cards-trouble.tsx";
import { PayForm } from "./standalone.tsx";
import { StoreContext, TextContext, useForm, useText } from "./store.ts";

/** The form that adds a card. */
export interface AddingForm {
  readonly page: FormPage;
  readonly store: FormStore;
}

export interface CardPageProps {
  readonly page: FormPage;
  readonly language: LanguageStore;
  readonly state: CardPageState;
  readonly form: AddingForm | null;
  readonly send: (event: CardPageEvent) => void;
  readonly today: Month;
}

type PartProps = Omit<CardPageProps, "language">;

export function CardPage({ language, ...props }: CardPageProps) {
  const { page, state, form, send } = props;
  const text = language.text();
  const adds = state.adding === "form" && form !== null;
  return (
    <TextContext value={text}>
      <main className={`card-page ${page.standalone ? "standalone" : "embedded"}`}>
        <div className={page.standalone ? "panel" : undefined}>
          <h1 className="card-page-title" id={TITLE_ID} tabIndex={-1}>
            {text(adds ? (state.renewing ? "new_date" : "add_card") : "your_cards")}
          </h1>
          {state.hasExpired && <Expired page={page} />}
          {adds && (
            <StoreContext value={form.store}>
              <AddCard page={form.page} language={language} send={send} />
            </StoreContext>
          )}
          {!state.hasExpired && !adds && <Cards {...props} />}
        </div>
        {page.standalone && (
          <div className="page-foot">
            {!state.hasExpired && <WayOut page={page} className="cancel-payment" />}
            {/* The menus know what the browser shows. */}
            {typeof document !== "undefined" && <PageMenus page={page} language={language} />}
          </div>
        )}
      </main>
      <div className="visually-hidden" role="status" id="card-page-news">
        {state.news !== null && <span key={state.news.count}>{text(state.news.text)}</span>}
      </div>
      <Title page={page} />
    </TextContext>
  );
}

/** Sets the title of the document: what the page shows, and the merchant. */
function Title({ page: { payee } }: { readonly page: FormPage }) {
  const about = useText()("your_cards");
  useEffect(() => {
    document.title = payee === null ? about : `${about} – ${payee.name}`;
  }, [about, payee]);
  return null;
}

function Cards({ page, state, send, today }: PartProps) {
  const text = useText();
  const { list, cards, trouble, confirming } = state;
  const asked = cards.find(({ id }) => id === confirming);
  const isBusy = state.adding !== "no";
  return (
    <>
      <div className="card-form" aria-busy={list === "loading"}>
        <SavedCardsTrouble trouble={trouble} onRetry={() => send({ type: "list-asked" })} />
        {list === "loading" && <Placeholder count={page.saved_cards_count ?? 1} />}
        {list === "loaded" && cards.length === 0 && <p className="no-cards">{text("no_cards")}</p>}
        {cards.length > 0 && (
          <ul className="saved-cards">
            {cards.map((card) => (
              <OwnCardRow key={card.id} card={card} state={state} send={send} today={today} />
            ))}
          </ul>
        )}
        {trouble !== "saved_cards_error" && (
          <button
            type="button"
            className="pay"
            id={ADD_CARD_ID}
            aria-disabled={isBusy || list === "loading"}
            onClick={() => send({ type: "adding-asked", renews: null })}
          >
            {isBusy && <span className="spinner" aria-hidden="true" />}
            <span>{text("add_card")}</span>
          </button>
        )}
      </div>
      {asked && <Removal card={asked} send={send} />}
    </>
  );
}

function Removal({ card, send }: Pick<PartProps, "send"> & { readonly card: OwnCard }) {
  return (
    <RemovalDialog
      lastFour={card.lastFour}
      row={() => document.getElementById(ownCardId(card.id))?.closest(".saved-card") ?? null}
      onCancel={() => send({ type: "removal-canceled" })}
      onConfirm={() => send({ type: "change-asked", id: card.id, change: { type: "remove" } })}
    />
  );
}

/** As many rows as the shopper has cards, of the height of real rows. */
function Placeholder({ count }: { readonly count: number }) {
  const text = useText();
  return (
    <>
      <span className="visually-hidden" role="status">
        {text("loading_saved_cards")}
      </span>
      <div className="saved-cards" aria-hidden="true">
        {Array.from({ length: count }, (_, row) => row).map((row) => (
          <div className="saved-card" key={row}>
            <div className="own-card">
              <span className="skeleton-logo" />
              <span className="skeleton-lines">
                <span className="skeleton-line" />
                <span className="skeleton-line" />
              </span>
            </div>
            <div className="own-card-actions" />
          </div>
        ))}
      </div>
    </>
  );
}

/** The form in place of the list. The page leads back to the list by itself when the card is saved. */
function AddCard({ page, language, send }: Pick<CardPageProps, "page" | "language" | "send">) {
  const text = useText();
  const submission = useForm(({ submission }) => submission);
  const isSaving = submission.phase !== "open" && submission.phase !== "closed";
  return (
    <>
      {isOver(submission, true) ? (
        // Neither receipt nor way back: that is the list.
        <Outcome page={{ ...page, standalone: false }} language={language.current().iso} />
      ) : (
        <PayForm page={page} />
      )}
      {submission.phase === "settling" && submission.shopperAction !== null && (
        <Challenge action={submission.shopperAction} />
      )}
      {!isSaving || isOver(submission, true) ? (
        <button type="button" className="method-toggle" onClick={() => send({ type: "adding-left" })}>
          {text("back_to_cards")}
        </button>
      ) : null}
    </>
  );
}

function Expired({ page }: { readonly page: FormPage }) {
  const text = useText();
  return (
    <div className="outcome cards-expired" id={ELEMENT_IDS.outcome} data-status="expired">
      <p className="outcome-text">{text("cards_expired")}</p>
      {page.standalone && <WayOut page={page} className="outcome-back" />}
    </div>
  );
}

/** The link to the merchant's page. */
function WayOut({ page, className }: { readonly page: FormPage; readonly className: string }) {
  const text = useText();
  const { returnUrl = "" } = page.intent;
  // Where unsigned payloads are accepted, anybody could have written the address.
  const address = /^https?:\/\//i.test(returnUrl) ? returnUrl : page.payee?.website;
  return address ? (
    <a className={className} id="card-page-way-out" href={address}>
      {text("back_to_merchant")}
    </a>
  ) : null;
}
