// The card page in the browser (docs/card-page.md): draws it, and carries out the effects of its machine. It is a script of
// its own, because few shoppers need it.

import { flushSync } from "react-dom";
import type { Root } from "react-dom/client";

import type { FormPage } from "../generated/wire.ts";
import {
  type CardPageEffect,
  type CardPageEvent,
  INITIAL_CARD_PAGE,
  nextCardPage,
  type OwnCard,
} from "./card/card-page.ts";
import { isPaidStatus } from "./card/form.ts";
import { followHeight, runEffects } from "./effects.ts";
import { formConfig } from "./form-config.ts";
import { createFormStore, today } from "./form-store.ts";
import { createLanguageStore } from "./i18n/language.ts";
import { openChannel } from "./parent/channel.ts";
import { takeSecret } from "./payments/address.ts";
import { CardSessionCalls, isOfSession } from "./payments/card-session.ts";
import { applyColorMode } from "./theme/color-mode.ts";
import { type AddingForm, CardPage } from "./view/card-page.tsx";
import { fetchLateViews } from "./view/late.ts";

/** Draws the card page with `drawn`. */
export function showCardPage(drawn: Root, page: FormPage): void {
  applyColorMode(document.documentElement, page.options.color_mode, page.standalone);
  const language = createLanguageStore(page.context, flushSync, page.options.texts);
  const { clientSecret } = takeSecret(window);
  const calls = new CardSessionCalls(page, clientSecret ?? "", () => send({ type: "expired" }));
  const post = openChannel(window, {
    allowedOrigins: page.allowed_origins,
    variant: page.options.variant,
    onMessage: () => {},
  });
  let state = INITIAL_CARD_PAGE;
  let form: AddingForm | null = null;

  language.subscribe(draw);
  draw();
  post({ type: "user-loaded", title: document.title });
  followHeight((height) => post({ type: "resize", height }));
  send({ type: isOfSession(clientSecret, page) ? "list-asked" : "expired" });

  function draw(): void {
    flushSync(() =>
      drawn.render(
        <CardPage page={page} language={language} state={state} form={form} send={send} today={today()} />,
      ),
    );
  }

  function send(event: CardPageEvent): void {
    const step = nextCardPage(state, event);
    if (step.state !== state) {
      state = step.state;
      draw();
    }
    for (const effect of step.effects) {
      run(effect);
    }
  }

  function run(effect: CardPageEffect): void {
    switch (effect.type) {
      case "list":
        void calls.list().then((cards) => send({ type: "listed", changes: effect.changes, cards }));
        break;
      case "change":
        void calls
          .change(effect.id, effect.change)
          .then((result) => send({ type: "changed", change: effect.change, result }));
        break;
      case "add":
        void beginToAdd(effect.renews).catch(() => send({ type: "adding-failed" }));
        break;
      case "drop-form":
        dropForm();
        break;
      case "focus":
        document.getElementById(effect.id)?.focus();
        break;
      case "post":
        post(effect.message);
        break;
    }
  }

  /** The form has a page, a machine and effects of its own, as on a payment page. To renew a card, it is the only one listed. */
  async function beginToAdd(renews: OwnCard | null): Promise<void> {
    // The late views list the card that is renewed.
    const [setup] = await Promise.all([calls.add(), fetchLateViews()]);
    if (setup === null) {
      send({ type: "adding-failed" });
      return;
    }
    // The page says what is done, so the form needs no title.
    const options = { ...setup.page.options, hide_title: true };
    const described = { ...setup.page, options };
    const offered = { offersSavedCards: renews !== null, savedCardsCount: 1 };
    const config = { ...formConfig(described), ...offered };
    const store = createFormStore(config, { today, drawn: flushSync });
    if (renews !== null) {
      store.send({ type: "saved-cards-answered", cards: [renews] });
      store.send({ type: "saved-card-selected", id: renews.id });
    }
    const begun = { page: described, store };
    form = begun;
    send({ type: "adding-begun" });
    store.subscribe(() => {
      const { submission } = store.state();
      if (form === begun && submission.phase === "closed" && isPaidStatus(submission.status)) {
        // After the machine's own work: React is drawing now.
        queueMicrotask(() => form === begun && send({ type: "card-added" }));
      }
    });
    runEffects(described, store, language, { clientSecret: setup.clientSecret, link: null });
    document.querySelector<HTMLElement>(".card-form .field-input")?.focus();
  }

  /** A form that has left does nothing more. */
  function dropForm(): void {
    form?.store.onEffect(() => {});
    form = null;
    draw();
  }
}
