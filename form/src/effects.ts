// The one place where what the form machine wants becomes I/O: messages, calls, focus.

import type { FormPage, FromForm, FromParent } from "../generated/wire.ts";
import { type Browser, newCardCharge, savedCardCharge } from "./card/charge-request.ts";
import { FIELD_IDS, type FieldName } from "./card/field.ts";
import {
  type Effect,
  type Failure,
  type FormField,
  type FormState,
  type SavedCardsEvent,
  selectedCard,
} from "./card/form.ts";
import type { FormStore } from "./form-store.ts";
import type { LanguageStore } from "./i18n/language.ts";
import { openChannel } from "./parent/channel.ts";
import { type Caller, cancelShopperAction, payCharge, seeCharge } from "./payments/charges.ts";
import { createDeviceData } from "./payments/device-data.ts";
import type { ShopperAgentFacts } from "./payments/shopper-agent.ts";

/** How long a parent may take to hand over the client secret that it was asked for. */
const CLIENT_SECRET_TIMEOUT_MS = 15_000;
/** How long a shopper looks at the place of the saved cards before a new card can be typed instead. */
const SAVED_CARDS_LOOK_MS = 3_000;
/** How long a charge waits at most for the fraud prevention's token, its script on the way included. */
const SCRIPT_TIMEOUT_MS = 15_000;
/** Pauses between looks at a charge whose outcome is awaited; the last one is kept. */
const WATCH_PAUSES_MS = [500, 1_000, 2_000] as const;
const WATCH_PAUSE_LAST_MS = 4_000;

/** What is looked up beside the form, for whoever wants to know what came of it. */
export interface LookUps {
  /** What a charge says of the shopper's surroundings; whole once `learnt` has come. */
  readonly facts: ShopperAgentFacts;
  readonly learnt: Promise<void>;
  /** The device data's session of the present card number; null without one. */
  readonly deviceSession: () => Promise<string | null>;
}

/** Connects `store` to the browser: from here on its effects are carried out and the parent's messages reach it. */
export function runEffects(page: FormPage, store: FormStore, language: LanguageStore): LookUps {
  const channel = openChannel(window, {
    allowedOrigins: page.allowed_origins,
    variant: page.options.variant,
    onMessage,
  });
  /** What the charge is looked at with: the standalone page's own, later the one that was paid with. */
  let secretInUse = page.standalone ? secretInAddress() : null;
  /** Those who wait for the client secret that the parent was asked for. */
  let waiting: ((secret: string | null) => void)[] = [];
  const facts: ShopperAgentFacts = { ipAddress: "", fraudToken: () => "" };
  /** One per press of the pay button; kept while no answer came, so that pressing again asks about the same press. */
  let press: string | null = null;
  const deviceData = createDeviceData({
    timeoutMs: page.device_data_timeout_ms,
    caller: async () => {
      const secret = secretInUse ?? (await freshSecret());
      return secret === null ? null : caller(secret);
    },
  });

  store.onEffect(run);
  store.subscribe(() => deviceData.cardNumberIs(store.state().fields.cardNumber));
  store.send({ type: "loaded" });
  followHeight((height) => channel.post({ type: "resize", height }));
  // Without the script nothing is known, and a charge goes without.
  const learnt = import("./payments/shopper-agent.ts")
    .then(({ learnFacts }) => learnFacts(page, facts))
    .catch(() => {});
  if (page.standalone && secretInUse === null) {
    store.send({ type: "link-incomplete" });
  } else {
    void look();
  }
  return { facts, learnt, deviceSession: deviceData.sessionId };

  function onMessage(message: FromParent): void {
    switch (message.type) {
      case "submit-ready":
        takeOverInputs();
        // Whoever still waits for a client secret, as the collection of device data, has one now.
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
    }
  }

  function run(effect: Effect, state: FormState): void {
    switch (effect.type) {
      case "post":
        channel.post(withLabels(effect.message));
        break;
      case "post-result":
        postResult(effect.failure, effect.notReady);
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
        void charge(effect.clientSecret, state);
        break;
      case "cancel-challenge":
        void cancelChallenge();
        break;
      case "look-at-charge":
        void look();
        break;
      case "watch-charge":
        void watchCharge();
        break;
    }
  }

  async function requestClientSecret(): Promise<void> {
    const secret = await freshSecret();
    store.send(
      secret === null ? { type: "client-secret-missing" } : { type: "client-secret", clientSecret: secret },
    );
  }

  /** The standalone page's own client secret, or a new one from the parent; null when none comes. */
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

  /** What had the focus may be replaced by what the event brings: the focus is then on that. */
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

  /** A parent that shows a challenge needs words for its dialog, in the shopper's language. */
  function withLabels(message: FromForm): FromForm {
    return message.type === "charge-changed" && message.shopper_action?.type === "challenge"
      ? {
          ...message,
          labels: { title: language.text()("challenge_title"), close: language.text()("challenge_close") },
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
    });
  }

  async function charge(secret: string, state: FormState): Promise<void> {
    secretInUse = secret;
    press ??= crypto.randomUUID();
    const { intent } = page;
    const spoken = languageOf(language.current().iso);
    const saved = selectedCard(state);
    // Only a new card's first digits were told to whoever collects device data.
    const deviceSessionId = saved === null ? await deviceData.sessionId() : null;
    const fraudToken =
      page.fraud_script &&
      (await Promise.race([learnt.then(() => facts.fraudToken()), wait(SCRIPT_TIMEOUT_MS)]));
    const about = browser(facts.ipAddress, deviceSessionId, fraudToken || "");
    const request =
      saved === null
        ? newCardCharge(intent, texts(state), state.savesCard, about, spoken)
        : savedCardCharge(intent, saved.id, state.fields.savedSecurity.text, about, spoken);
    const answer = await payCharge(request, caller(secret), press);
    if (answer.kind !== "unanswered") {
      press = null;
    }
    store.send({ type: "charge-answered", answer });
  }

  /** Asks the server where the charge stands until nothing is awaited any more. */
  async function watchCharge(): Promise<void> {
    for (let round = 0; store.state().submission.phase === "settling"; round += 1) {
      await wait(WATCH_PAUSES_MS[round] ?? WATCH_PAUSE_LAST_MS);
      await look();
    }
  }

  async function cancelChallenge(): Promise<void> {
    const { chargeId } = page.intent;
    const seen = secretInUse === null ? null : await cancelShopperAction(chargeId, caller(secretInUse));
    if (seen !== null) {
      store.send({ type: "charge-seen", charge: seen });
    }
  }

  async function look(): Promise<void> {
    const seen = secretInUse === null ? null : await seeCharge(page.intent.chargeId, caller(secretInUse));
    if (seen !== null) {
      store.send({ type: "charge-seen", charge: seen });
    }
  }

  function caller(secret: string): Caller {
    return { clientSecret: secret, cookieId: page.cookie_id, service: page.service };
  }
}

/** The machine learns what stands in the inputs now: a program may have filled them in without a word. */
function takeOverInputs(): void {
  for (const input of document.querySelectorAll(".field-input")) {
    input.dispatchEvent(new Event("change"));
  }
}

/** The calls for saved cards; null when their script does not come, which is like no answer. */
function savedCardCalls() {
  return import("./payments/saved-cards.ts").catch(() => null);
}

/** The standalone page's client secret stands in the fragment, which no server ever sees. */
function secretInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get("client_secret");
}

function texts({ fields }: FormState): Readonly<Record<FieldName, string>> {
  return {
    cardNumber: fields.cardNumber.text,
    expiry: fields.expiry.text,
    security: fields.security.text,
    cardHolderName: fields.cardHolderName.text,
    cardHolderEmail: fields.cardHolderEmail.text,
  };
}

function browser(ipAddress: string, deviceSessionId: string | null, fraudToken: string): Browser {
  return {
    ipAddress,
    userAgent: navigator.userAgent,
    timezone: new Date().getTimezoneOffset(),
    screenHeight: screen.height,
    screenWidth: screen.width,
    colorDepth: screen.colorDepth,
    deviceSessionId,
    fraudToken,
  };
}

/** The input of a field; a saved card's security code stands with the card (DESIGN.md §2). */
function inputId(field: FormField, { saved }: FormState): string {
  return field === "savedSecurity" ? `saved-card-${saved.selected}-security-code` : FIELD_IDS[field];
}

/** The focus goes to what now stands where the shopper was: the selected card, or the first field of a new one. */
function focusMethod({ method, saved }: FormState, first: FieldName = "cardNumber"): void {
  const id =
    method === "saved" && saved.selected !== null ? `saved-card-${saved.selected}` : FIELD_IDS[first];
  const target = document.getElementById(id) ?? document.querySelector<HTMLElement>(".method-toggle");
  target?.focus();
}

/** "en" of "en-US" ("§9": default language en). */
function languageOf(locale: string): string {
  return locale.split("-")[0] ?? "en";
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Calls `changed` with the page's height in CSS pixels, now and in the same frame in which it changes. */
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
