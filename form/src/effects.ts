// Carries out the effects of the form machine: messages, calls and focus. Nothing else in the page does.

import type { ChargeStatus, FormPage, FromForm, FromParent } from "../generated/wire.ts";
import { fetchAgain } from "./builds/fetch-again.ts";
import { ELEMENT_IDS, savedCardId } from "./card/element-ids.ts";
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
import { loadLateTexts } from "./i18n/load-late-texts.ts";
import type { LookUps } from "./look-ups.ts";
import type { PageChange } from "./page-change.ts";
import { openChannel } from "./parent/channel.ts";
import { takeSecret } from "./payments/address.ts";
import { ClientSecrets } from "./payments/client-secrets.ts";
import type { ShopperAgentFacts } from "./payments/shopper-agent.ts";
import { fetchLateViews } from "./view/late.ts";

/** How long the placeholder of the saved cards is shown before the form of a new card replaces it. */
const SAVED_CARDS_LOOK_MS = 3_000;

/** Connects `store` to the browser: its effects are carried out and the parent's messages reach it. */
export function runEffects(page: FormPage, store: FormStore, language: LanguageStore): LookUps {
  const channel = openChannel(window, {
    allowedOrigins: page.allowed_origins,
    variant: page.options.variant,
    onMessage,
  });
  const secrets = new ClientSecrets(page, page.standalone ? takeSecret(window) : null, () =>
    channel.post({ type: "request-client-secret" }),
  );
  const facts: ShopperAgentFacts = { ipAddress: "", fraudToken: () => "" };
  let paying: Promise<Charging> | null = null;
  let paysNow: Charging | null = null;
  let late: Promise<unknown> | null = null;

  let lastFocused = "";
  document.addEventListener("focusin", ({ target }) => {
    lastFocused = (target as Element).id || lastFocused;
  });
  store.onEffect(run);
  store.send({ type: "loaded" });
  followHeight((height) => channel.post({ type: "resize", height }));
  // Without this script the facts stay empty, and a charge is sent without them.
  const learnt = fetchAgain(() => import("./payments/shopper-agent.ts"))
    .then(({ learnFacts }) => learnFacts(page, facts))
    .catch(() => {});
  const lookUps: LookUps = {
    facts,
    learnt,
    deviceSession: () => paysNow?.deviceData.sessionId() ?? null,
    post: channel.post,
  };
  charging().catch(() => {});
  if (page.standalone && secrets.inUse === null) {
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
        // Anything that still waits for a client secret, such as device data, gets it now.
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
        void charging().then(
          ({ deviceData }) => deviceData.collectNow(store.state().fields.cardNumber),
          Boolean,
        );
        break;
      case "language-change":
        void import("./i18n/load-language.ts").then(({ changeLanguage }) =>
          changeLanguage(message.locale, page, language),
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
      case "post":
        channel.post(withLabels(effect.message));
        break;
      case "post-result":
        postResult(effect.failure, effect.notReady);
        if (effect.failure !== null) {
          giveFocusBack();
        }
        break;
      case "request-client-secret":
        void requestClientSecret();
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
        void charge(effect.clientSecret, state);
        break;
      case "cancel-challenge":
        void charging().then((charging) => charging.cancel(), Boolean);
        break;
      case "look-at-charge":
        void charging().then((charging) => charging.look(), Boolean);
        break;
      case "watch-charge":
        void charging().then((charging) => charging.watch(), Boolean);
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
      ({ changePageInPlace }) =>
        changePageInPlace(change, { page, store, language, parentOrigin: secrets.parentOrigin }),
      () => false,
    );
    if (page.intent.amountValue !== amountValue || page.intent.amountCurrency !== amountCurrency) {
      // The client secret names the amount before the change.
      secrets.inUse = null;
      void lookFirst();
    }
    channel.post({ type: "page-changed", success });
  }

  async function requestClientSecret(): Promise<void> {
    const secret = await secrets.fresh();
    store.send(
      secret === null ? { type: "client-secret-missing" } : { type: "client-secret", clientSecret: secret },
    );
  }

  async function listCards(): Promise<void> {
    setTimeout(() => sendKeepingFocus({ type: "saved-cards-overdue" }), SAVED_CARDS_LOOK_MS);
    const caller = await secrets.freshCaller();
    const calls = await savedCardCalls();
    const cards = caller && calls && (await calls.listSavedCards(page.intent.shopperId, caller));
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
    const caller = await secrets.freshCaller();
    const calls = await savedCardCalls();
    const removed =
      caller !== null && calls !== null && (await calls.removeSavedCard(id, page.intent.shopperId, caller));
    store.send({ type: "removal-answered", id, removed });
  }

  /** Gives the focus back to the field that lost it while the form was disabled, unless the merchant's page has it. */
  function giveFocusBack(): void {
    if (document.hasFocus() && document.activeElement === document.body) {
      const fields = [lastFocused, ELEMENT_IDS.pay, ...store.config.fields.map((field) => FIELD_IDS[field])];
      fields
        .map((id) => document.getElementById(id))
        .find((element) => element !== null)
        ?.focus();
    }
  }

  /** A parent that shows a challenge needs labels for its dialog in the shopper's language. */
  function withLabels(message: FromForm): FromForm {
    return message.type === "charge-changed" && message.shopper_action?.type === "challenge"
      ? {
          ...message,
          labels: {
            title: language.text()("challenge_title"),
            close: language.text()("challenge_close"),
            new_window: language.text()("challenge_new_window"),
          },
        }
      : message;
  }

  function postResult(failure: Failure | null, notReady?: true): void {
    channel.post({
      type: "processing-result",
      success: failure === null,
      message: failure === null ? "" : language.text()(failure.messageKey, failure.values),
      ...(failure?.declineCode ? { decline_code: failure.declineCode } : {}),
      ...(notReady && { not_ready: notReady }),
      ...(failure?.errorCode ? { error_code: failure.errorCode } : {}),
      ...statusOf(failure),
    });
  }

  /** The texts and views that the first drawing does without; the next call loads again what could not be loaded. */
  function lateParts(): Promise<unknown> {
    late ??= fetchAgain(() => Promise.all([loadLateTexts(page.context, language), fetchLateViews()]));
    late.catch(() => {
      late = null;
    });
    return late;
  }

  /** The script that pays, with the parts that show what it finds out; the next call loads again what did not come. */
  function charging(): Promise<Charging> {
    paying ??= Promise.all([fetchAgain(() => import("./charging.ts")), lateParts()]).then(
      ([{ Charging }]) => {
        paysNow = new Charging(page, store, language, secrets, lookUps);
        return paysNow;
      },
    );
    paying.catch(() => {
      paying = null;
    });
    return paying;
  }

  async function charge(secret: string, state: FormState): Promise<void> {
    const ready = await charging().catch(() => null);
    if (ready === null) {
      store.send({ type: "charge-answered", answer: { kind: "unsent" } });
    } else {
      await ready.charge(secret, state);
    }
  }

  /** Asks where the charge stands before anything is typed: it may be paid, canceled or expired already. */
  async function lookFirst(): Promise<void> {
    secrets.inUse ??= await secrets.fresh();
    await charging().then((charging) => charging.look(), Boolean);
  }

  /** The calls for saved cards; null if they or the list's view do not come, which is treated as no answer. */
  function savedCardCalls() {
    return Promise.all([import("./payments/saved-cards.ts"), lateParts()]).then(
      ([calls]) => calls,
      () => null,
    );
  }
}

/** Reads every input again: a program may have filled them in without an event. */
function takeOverInputs(): void {
  for (const input of document.querySelectorAll(".field-input")) {
    input.dispatchEvent(new Event("change"));
  }
}

/** The status of a charge that was not paid, if the server has told it. */
function statusOf(failure: Failure | null): { readonly status?: ChargeStatus } {
  if (failure === null) {
    return {};
  }
  if (failure.errorCode === "charge-canceled") {
    return { status: "canceled" };
  }
  if (failure.errorCode === "charge-expired") {
    return { status: "expired" };
  }
  return failure.declineCode === null ? {} : { status: "failed" };
}

/** The id of a field's input. A saved card's security code has the card's id in it (docs/form.md#element-ids). */
function inputId(field: FormField, { saved }: FormState): string {
  return field === "savedSecurity" ? savedCardId(saved.selected, "-security-code") : FIELD_IDS[field];
}

/** Moves the focus to the selected saved card, or to the first field of a new card. */
function focusMethod({ method, saved }: FormState, first: FieldName = "cardNumber"): void {
  const id = method === "saved" && saved.selected !== null ? savedCardId(saved.selected) : FIELD_IDS[first];
  const target = document.getElementById(id) ?? document.querySelector<HTMLElement>(".method-toggle");
  target?.focus();
}

/** Calls `changed` with the page's height in CSS pixels now, and in each frame in which it changes. */
function followHeight(changed: (height: number) => void): void {
  let last = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height !== last) {
      last = height;
      changed(height);
    }
  }).observe(document.body);
}
