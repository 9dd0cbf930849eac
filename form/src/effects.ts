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
import type { PageChange } from "./page-change.ts";
import { openChannel } from "./parent/channel.ts";
import { takeSecret } from "./payments/address.ts";
import type { Caller } from "./payments/charges.ts";
import { createDeviceData } from "./payments/device-data.ts";
import type { ShopperAgentFacts } from "./payments/shopper-agent.ts";

/** How long a parent may take to answer a request for the client secret. */
const CLIENT_SECRET_TIMEOUT_MS = 15_000;
/** How long the placeholder of the saved cards is shown before the form of a new card replaces it. */
const SAVED_CARDS_LOOK_MS = 3_000;

/** What the page looks up in the background. */
export interface LookUps {
  /** Facts about the shopper's browser that a charge carries; complete when `learnt` resolves. */
  readonly facts: ShopperAgentFacts;
  readonly learnt: Promise<void>;
  /** The device data's session for the present card number; null if there is none. */
  readonly deviceSession: () => Promise<string | null>;
  /** Posts a message to the parent. */
  readonly post: (message: FromForm) => void;
}

/** Connects `store` to the browser: its effects are carried out and the parent's messages reach it. */
export function runEffects(page: FormPage, store: FormStore, language: LanguageStore): LookUps {
  const channel = openChannel(window, {
    allowedOrigins: page.allowed_origins,
    variant: page.options.variant,
    onMessage,
  });
  /** The client secret for questions about the charge: the payment page's own, later the one used to pay. */
  let secretInUse = page.standalone ? takeSecret(window) : null;
  /** The origin of the parent, which hands over client secrets; null on the payment page. */
  let parentOrigin: string | null = null;
  /** Callbacks that wait for the client secret from the parent. */
  let waiting: ((secret: string | null) => void)[] = [];
  const facts: ShopperAgentFacts = { ipAddress: "", fraudToken: () => "" };
  const deviceData = createDeviceData({
    timeoutMs: page.device_data_timeout_ms,
    caller: async () => {
      const secret = secretInUse ?? (await freshSecret());
      return secret === null ? null : caller(secret);
    },
  });
  let paying: Promise<Charging> | null = null;
  let texts: Promise<void> | null = null;

  let lastFocused = "";
  document.addEventListener("focusin", ({ target }) => {
    lastFocused = (target as Element).id || lastFocused;
  });
  store.onEffect(run);
  store.subscribe(() => deviceData.cardNumberIs(store.state().fields.cardNumber));
  store.send({ type: "loaded" });
  followHeight((height) => channel.post({ type: "resize", height }));
  // Without this script the facts stay empty, and a charge is sent without them.
  const learnt = fetchAgain(() => import("./payments/shopper-agent.ts"))
    .then(({ learnFacts }) => learnFacts(page, facts))
    .catch(() => {});
  if (page.standalone && secretInUse === null) {
    store.send({ type: "link-incomplete" });
  } else {
    void lookFirst();
  }
  return { facts, learnt, deviceSession: deviceData.sessionId, post: channel.post };

  function onMessage(message: FromParent, origin: string): void {
    parentOrigin = origin;
    switch (message.type) {
      case "submit-ready":
        takeOverInputs();
        // Anything that still waits for a client secret, such as device data, gets it now.
        if (message.client_secret !== null) {
          handOver(message.client_secret);
        }
        store.send({ type: "submit", clientSecret: message.client_secret });
        break;
      case "submit-not-ready":
        takeOverInputs();
        store.send({ type: "submit-attempted" });
        break;
      case "client-secret-response":
        handOver(message.client_secret);
        break;
      case "shopper-action-returned":
        store.send({ type: "challenge-returned" });
        break;
      case "shopper-action-closed":
        store.send({ type: "challenge-closed" });
        break;
      case "device-data-initiate":
        handOver(message.client_secret);
        deviceData.collectNow(store.state().fields.cardNumber);
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
        secretInUse = effect.clientSecret;
        void charge(effect.clientSecret, state);
        break;
      case "cancel-challenge":
        void charging().then(({ cancel }) => cancel(), Boolean);
        break;
      case "look-at-charge":
        void charging().then(({ look }) => look(), Boolean);
        break;
      case "watch-charge":
        void charging().then(({ watch }) => watch(), Boolean);
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
      ({ changePageInPlace }) => changePageInPlace(change, { page, store, language, parentOrigin }),
      () => false,
    );
    if (page.intent.amountValue !== amountValue || page.intent.amountCurrency !== amountCurrency) {
      // The client secret names the amount before the change.
      secretInUse = null;
      void lookFirst();
    }
    channel.post({ type: "page-changed", success });
  }

  async function requestClientSecret(): Promise<void> {
    const secret = await freshSecret();
    store.send(
      secret === null ? { type: "client-secret-missing" } : { type: "client-secret", clientSecret: secret },
    );
  }

  /** The payment page's own client secret, or a new one from the parent; null if none comes. */
  function freshSecret(): Promise<string | null> {
    if (page.standalone) {
      return Promise.resolve(secretInUse);
    }
    return new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) {
        channel.post({ type: "request-client-secret" });
        setTimeout(() => waiting.includes(resolve) && handOver(null), CLIENT_SECRET_TIMEOUT_MS);
      }
    });
  }

  function handOver(secret: string | null): void {
    const served = waiting;
    waiting = [];
    secretInUse = secret ?? secretInUse;
    for (const serve of served) {
      serve(secret);
    }
  }

  async function listCards(): Promise<void> {
    setTimeout(() => sendKeepingFocus({ type: "saved-cards-overdue" }), SAVED_CARDS_LOOK_MS);
    const secret = await freshSecret();
    const calls = await savedCardCalls();
    const cards =
      secret === null || calls === null
        ? null
        : await calls.listSavedCards(page.intent.shopperId, caller(secret));
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
    const secret = await freshSecret();
    const calls = await savedCardCalls();
    const removed =
      secret !== null &&
      calls !== null &&
      (await calls.removeSavedCard(id, page.intent.shopperId, caller(secret)));
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

  /** The texts that the document leaves out; if they could not be loaded, the next call loads them again. */
  function lateTexts(): Promise<void> {
    texts ??= fetchAgain(() => loadLateTexts(page.context, language));
    texts.catch(() => {
      texts = null;
    });
    return texts;
  }

  /** The script that pays, with the texts for what it finds out; what could not be loaded is loaded by the next call. */
  function charging(): Promise<Charging> {
    paying ??= Promise.all([fetchAgain(() => import("./charging.ts")), lateTexts()]).then(
      ([{ createCharging }]) =>
        createCharging({
          page,
          store,
          secretInUse: () => secretInUse,
          freshSecret,
          caller,
          language: () => language.current().iso,
          ipAddress: () => facts.ipAddress,
          fraudToken: () => learnt.then(() => facts.fraudToken()),
          deviceSession: deviceData.sessionId,
        }),
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
    secretInUse ??= await freshSecret();
    await charging().then(({ look }) => look(), Boolean);
  }

  /** The calls for saved cards; null if they or their texts do not come, which is treated as no answer. */
  function savedCardCalls() {
    return Promise.all([import("./payments/saved-cards.ts"), lateTexts()]).then(
      ([calls]) => calls,
      () => null,
    );
  }

  function caller(secret: string): Caller {
    const meant = { ...page.intent, parentOrigin };
    return { clientSecret: secret, cookieId: page.cookie_id, service: page.service, meant };
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
