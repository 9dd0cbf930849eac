// Carries out the effects of the form machine: messages, calls and focus. Nothing else in the page does.

import type { ChargeStatus, FormPage, FromParent, PageContext } from "../generated/wire.ts";
import { fetchAgain } from "./builds/fetch-again.ts";
import { savedCardId } from "./card/element-ids.ts";
import { FIELD_IDS, type FieldName } from "./card/field.ts";
import {
  askedFields,
  type Effect,
  type Failure,
  type FormField,
  type FormState,
  ruleOf,
  type SavedCardsEvent,
} from "./card/form.ts";
import type { Charging } from "./charging.ts";
import type { FormStore } from "./form-store.ts";
import type { LanguageStore } from "./i18n/language.ts";
import type { Language } from "./i18n/text.ts";
import type { LookUps } from "./look-ups.ts";
import type { PageChange } from "./page-change.ts";
import { openChannel } from "./parent/channel.ts";
import { type OpenedBy, takeSecret } from "./payments/address.ts";
import type { Caller } from "./payments/charges.ts";
import { ClientSecrets } from "./payments/client-secrets.ts";
import { openLink } from "./payments/open-link.ts";
import type { ShopperAgentFacts } from "./payments/shopper-agent.ts";
import { fetchLateViews } from "./view/late.ts";

/** How long the placeholder of the saved cards is shown before the form of a new card replaces it. */
const SAVED_CARDS_LOOK_MS = 3_000;

/**
 * Connects `store` to the browser: its effects are carried out and the parent's messages reach it. With `given`, the client
 * secret of a form on the card page, there is no parent.
 */
export function runEffects(
  page: FormPage,
  store: FormStore,
  language: LanguageStore,
  given?: OpenedBy,
): LookUps {
  const post = given
    ? () => {}
    : openChannel(window, {
        allowedOrigins: page.allowed_origins,
        variant: page.options.variant,
        onMessage,
      });
  const { clientSecret = null, link = null } = given ?? (page.standalone ? takeSecret(window) : {});
  const ask = link === null ? null : () => void useLink(link);
  const secrets = new ClientSecrets(
    page,
    clientSecret,
    page.standalone ? ask : () => post({ type: "request-client-secret" }),
  );
  const facts: ShopperAgentFacts = { ipAddress: "", fraudToken: () => "" };
  /** The texts and views that the first drawing does without. */
  const lateParts = loadOnce(() =>
    fetchAgain(() => Promise.all([loadLateTexts(page.context, language), fetchLateViews()])),
  );
  let paysNow: Charging | null = null;
  /** The script that pays, with the texts and views of the outcome. */
  const charging = loadOnce(async () => {
    const [{ Charging }] = await Promise.all([fetchAgain(() => import("./charging.ts")), lateParts()]);
    paysNow = new Charging(page, store, language, secrets, lookUps);
    return paysNow;
  });

  store.onEffect(run);
  store.send({ type: "loaded" });
  followHeight((height) => post({ type: "resize", height }));
  // Without this script the facts stay empty, and a charge is sent without them.
  const learnt = fetchAgain(() => import("./payments/shopper-agent.ts"))
    .then(({ learnFacts }) => learnFacts(page, facts))
    .catch(() => {});
  const lookUps: LookUps = {
    facts,
    learnt,
    deviceSession: () => paysNow?.deviceData.sessionId() ?? null,
    post,
  };
  withCharging(() => {});
  if (secrets.inUse === null && !secrets.canAsk) {
    store.send({ type: "link-incomplete" });
  } else {
    void lookFirst();
  }
  return lookUps;

  function onMessage(message: FromParent, origin: string): void {
    secrets.parentOrigin = origin;
    switch (message.type) {
      case "submit-ready":
        takeOverInputs();
        // Calls that still wait for a client secret, such as device data, get it now.
        if (message.client_secret !== null) {
          secrets.handOver(message.client_secret);
        }
        store.send({ type: "submit", clientSecret: message.client_secret });
        break;
      case "submit-not-ready":
        takeOverInputs();
        store.send({ type: "submit-attempted" });
        break;
      case "client-secret-response":
        secrets.handOver(message.client_secret);
        break;
      case "shopper-action-returned":
        store.send({ type: "challenge-returned" });
        break;
      case "shopper-action-closed":
        store.send({ type: "challenge-closed" });
        break;
      case "device-data-initiate":
        secrets.handOver(message.client_secret);
        withCharging(({ deviceData }) => deviceData.collectNow(store.state().fields.cardNumber));
        break;
      case "language-change":
        void import("./i18n/load-language.ts").then((script) =>
          script.changeLanguage(message.locale, page, language),
        );
        break;
      case "fields-clear":
        store.send({ type: "form-cleared" });
        break;
      case "form-disable":
        store.send({ type: "form-disabled", disabled: message.disabled });
        break;
      case "field-focus":
        focusNamed(message.field);
        break;
      case "page-change":
        void changePage(message);
        break;
    }
  }

  function run(effect: Effect, state: FormState): void {
    switch (effect.type) {
      case "post": {
        const { message } = effect;
        if (message.type === "user-loaded") {
          post({ ...message, title: document.title });
        } else {
          // What a payment posts comes after the script that pays.
          post(paysNow?.withLabels(message) ?? message);
        }
        break;
      }
      case "post-result":
        postResult(effect.failure, effect.notReady);
        if (effect.failure !== null) {
          paysNow?.giveFocusBack();
        }
        break;
      case "request-client-secret":
        void secrets.fresh().then((clientSecret) => store.send({ type: "client-secret", clientSecret }));
        break;
      case "focus":
        document.getElementById(inputId(effect.field, state))?.focus();
        break;
      case "focus-method":
        focusMethod(state, store.config.fields[0]);
        break;
      case "list-saved-cards":
        void listCards();
        break;
      case "remove-saved-card":
        void removeCard(effect.id);
        break;
      case "charge":
        secrets.inUse = effect.clientSecret;
        void charging().then(
          (ready) => ready.charge(effect.clientSecret, state),
          () => store.send({ type: "charge-answered", answer: { kind: "unsent" } }),
        );
        break;
      case "cancel-challenge":
        withCharging((charging) => charging.cancel());
        break;
      case "look-at-charge":
        withCharging((charging) => charging.look());
        break;
      case "watch-charge":
        withCharging((charging) => charging.watch());
        break;
    }
  }

  /** Moves the focus to the field with this id; the security code may be the saved card's. */
  function focusNamed(id: string): void {
    const field = askedFields(store.config, store.state()).find((name) => FIELD_IDS[ruleOf(name)] === id);
    if (field !== undefined) {
      document.getElementById(inputId(field, store.state()))?.focus();
    }
  }

  async function changePage(change: PageChange): Promise<void> {
    const { amountValue, amountCurrency } = page.intent;
    const success = await fetchAgain(() => import("./page-change.ts")).then(
      ({ changePageInPlace }) => changePageInPlace(change, page, store, language, secrets.parentOrigin),
      () => false,
    );
    if (page.intent.amountValue !== amountValue || page.intent.amountCurrency !== amountCurrency) {
      // The client secret names the amount before the change.
      secrets.inUse = null;
      void lookFirst();
    }
    post({ type: "page-changed", success });
  }

  async function listCards(): Promise<void> {
    const overdue = setTimeout(() => sendKeepingFocus({ type: "saved-cards-overdue" }), SAVED_CARDS_LOOK_MS);
    const cards = await withSavedCards((calls, caller) =>
      calls.listSavedCards(page.intent.shopperId, caller),
    );
    clearTimeout(overdue);
    sendKeepingFocus({ type: "saved-cards-answered", cards });
  }

  /** Sends an event that may replace the focused element. If it does, the focus moves to the replacement. */
  function sendKeepingFocus(event: SavedCardsEvent): void {
    const focused = document.activeElement;
    store.send(event);
    if (focused?.isConnected === false) {
      focusMethod(store.state(), store.config.fields[0]);
    }
  }

  async function removeCard(id: string): Promise<void> {
    const removed = await withSavedCards((calls, caller) =>
      calls.removeSavedCard(id, page.intent.shopperId, caller),
    );
    store.send({ type: "removal-answered", id, removed: removed === true });
  }

  function postResult(failure: Failure | null, notReady?: true): void {
    const status = statusOf(failure);
    post({
      type: "processing-result",
      success: failure === null,
      message: failure === null ? "" : language.text()(failure.messageKey, failure.values),
      ...(failure?.declineCode ? { decline_code: failure.declineCode } : {}),
      ...(notReady && { not_ready: notReady }),
      ...(failure?.errorCode ? { error_code: failure.errorCode } : {}),
      ...(status && { status }),
    });
  }

  /** Calls `act` once the script that pays has loaded, and does nothing if it cannot be loaded. */
  function withCharging(act: (charging: Charging) => unknown): void {
    void charging().then(act, Boolean);
  }

  /** Gets a new client secret for the payment page. A link that the service refuses opens nothing. */
  async function useLink(link: string): Promise<void> {
    const opened = await openLink(link, page, secrets.inUse === null ? [500, 1_500, 4_000] : [0]);
    if (opened !== null && "refused" in opened) {
      // What is shown then comes with the late views.
      await lateParts().catch(() => {});
      store.send({ type: "look-refused", code: opened.refused });
    }
    // Without an answer the one in use may still be valid, and the payment says what is wrong with the network.
    secrets.handOver(opened !== null && "clientSecret" in opened ? opened.clientSecret : secrets.inUse);
  }

  /** Asks where the charge stands before anything is typed: it may be paid, canceled or expired already. */
  async function lookFirst(): Promise<void> {
    secrets.inUse ??= await secrets.fresh();
    withCharging((charging) => charging.look());
  }

  /** Makes a call for saved cards. Null without a client secret, or if the call or the list's view cannot be loaded. */
  async function withSavedCards<Answer>(
    call: (calls: typeof import("./payments/saved-cards.ts"), caller: Caller) => Promise<Answer>,
  ): Promise<Answer | null> {
    const caller = await secrets.freshCaller();
    const [calls] = await Promise.all([
      fetchAgain(() => import("./payments/saved-cards.ts")),
      lateParts(),
    ]).catch(() => []);
    return caller && calls ? call(calls, caller) : null;
  }
}

/** Reads every input again: a program may have filled them in without an event. */
function takeOverInputs(): void {
  for (const input of document.querySelectorAll(".field-input")) {
    input.dispatchEvent(new Event("change"));
  }
}

/** Keeps what `load` has loaded. If it fails, the next call loads again. */
function loadOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | null = null;
  return () => {
    loading ??= load().catch((error) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}

/** The status of a charge that was not paid, if the server has told it. */
function statusOf(failure: Failure | null): ChargeStatus | undefined {
  switch (failure?.errorCode) {
    case "charge-canceled":
      return "canceled";
    case "charge-expired":
      return "expired";
    default:
      if (failure?.messageKey === "outcome_checking_text") {
        return "outcome_unknown";
      }
      return failure?.declineCode === undefined ? undefined : "failed";
  }
}

/** The id of a field's input. A saved card's fields have the card's id in it (docs/form.md#element-ids). */
function inputId(field: FormField, { saved }: FormState): string {
  const rule = ruleOf(field);
  return rule === field
    ? FIELD_IDS[rule]
    : savedCardId(saved.selected, rule === "expiry" ? "-expiry" : "-security-code");
}

/** Moves the focus to the selected saved card, or to the first field of a new card. */
function focusMethod({ method, saved }: FormState, first: FieldName = "cardNumber"): void {
  const id = method === "saved" && saved.selected !== null ? savedCardId(saved.selected) : FIELD_IDS[first];
  const target = document.getElementById(id) ?? document.querySelector<HTMLElement>(".method-toggle");
  target?.focus();
}

/** Calls `changed` with the page's height in CSS pixels now, and in each frame in which it changes. */
export function followHeight(changed: (height: number) => void): void {
  let last = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height !== last) {
      last = height;
      changed(height);
    }
  }).observe(document.body);
}

/** Loads the texts that the form's document leaves out (`form/late-texts.ts`). The file has all texts of the language. */
async function loadLateTexts({ build_id, locale }: PageContext, { complete }: LanguageStore): Promise<void> {
  const response = await fetch(`/locales/${build_id}/${locale}.json`);
  if (!response.ok) {
    throw new Error(`status ${response.status}`);
  }
  complete((await response.json()) as Language);
}
