// The effects of a submission: sends the charge and asks for its outcome. A separate script that is fetched once the form
// can be used, because nobody pays sooner.

import type { FormPage, ShopperCharge } from "../generated/wire.ts";
import { type Browser, newCardCharge, savedCardCharge } from "./card/charge-request.ts";
import type { FieldName } from "./card/field.ts";
import { type ChargeAnswer, type FormState, selectedCard } from "./card/form.ts";
import type { FormStore } from "./form-store.ts";
import {
  type Caller,
  cancelShopperAction,
  declineOf,
  payCharge,
  type StatusRefused,
  seeCharge,
} from "./payments/charges.ts";
import { withSealedCard } from "./payments/sealed-request.ts";

/** The longest that a charge waits for the fraud prevention's token, including the loading of its script. */
const SCRIPT_TIMEOUT_MS = 15_000;
/** Pauses between questions about a charge's outcome. After these, `WATCH_PAUSE_LAST_MS` is used. */
const WATCH_PAUSES_MS = [500, 1_000, 2_000] as const;
const WATCH_PAUSE_LAST_MS = 4_000;
/** How long a request without an answer may still be on its way to the server. Until then "not paid" is not believed. */
const LATE_ARRIVAL_MS = 10_000;

/** Used when this browser cannot seal the card and must not send it unsealed; the server would answer the same. */
const NOT_SEALED: ChargeAnswer = { kind: "refused", code: "plain_card_refused" };

/** What paying needs from the rest of the page. */
export interface ChargingPorts {
  readonly page: FormPage;
  readonly store: FormStore;
  /** The client secret in use; null before there is one. */
  readonly secretInUse: () => string | null;
  /** Asks for a new client secret; null if none comes. */
  readonly freshSecret: () => Promise<string | null>;
  /** The caller that uses this client secret. */
  readonly caller: (secret: string) => Caller;
  /** The form's language: "fr-FR". */
  readonly language: () => string;
  readonly ipAddress: () => string;
  /** The fraud prevention's token when it is known; empty if there is none. */
  readonly fraudToken: () => Promise<string>;
  /** The device data's session for the present card number; null if there is none. */
  readonly deviceSession: () => Promise<string | null>;
}

export interface Charging {
  readonly charge: (secret: string, state: FormState) => Promise<void>;
  /** Asks the server once where the charge stands. */
  readonly look: () => Promise<void>;
  /** Asks again and again until the outcome is known. */
  readonly watch: () => Promise<void>;
  /** Asks the server to cancel the challenge. */
  readonly cancel: () => Promise<void>;
}

export function createCharging(ports: ChargingPorts): Charging {
  const { page, store, caller } = ports;
  const { chargeId } = page.intent;
  /** The idempotency key. Each press of the pay button has its own; it is kept until an answer comes. */
  let press: string | null = null;
  /** Until when a request without an answer may still arrive, in milliseconds since 1970. */
  let mayArriveUntil = 0;

  async function charge(secret: string, state: FormState): Promise<void> {
    press ??= crypto.randomUUID();
    const { intent } = page;
    const language = languageOf(ports.language());
    const saved = selectedCard(state);
    // Device data was collected for the first digits of a new card, so a saved card has none.
    const deviceSessionId = saved === null ? await ports.deviceSession() : null;
    const fraudToken =
      page.fraud_script && (await Promise.race([ports.fraudToken(), wait(SCRIPT_TIMEOUT_MS)]));
    const about = browser(ports.ipAddress(), deviceSessionId, fraudToken || "");
    const request =
      saved === null
        ? newCardCharge(intent, texts(state), state.savesCard, about, language)
        : savedCardCharge(intent, saved.id, state.fields.savedSecurity.text, about, language);
    const sent = await withSealedCard(request, page, secret);
    const answer =
      sent === null ? NOT_SEALED : await withReason(await payCharge(sent, caller(secret), press), secret);
    if (answer.kind === "unanswered") {
      mayArriveUntil = Date.now() + LATE_ARRIVAL_MS;
    } else {
      press = null;
      mayArriveUntil = 0;
    }
    store.send({ type: "charge-answered", answer });
  }

  /** If the charge can no longer be paid, asks the server why; any other answer is returned unchanged. */
  async function withReason(answer: ChargeAnswer, secret: string): Promise<ChargeAnswer> {
    if (answer.kind !== "refused" || answer.code !== "charge_not_payable") {
      return answer;
    }
    const seen = await seeCharge(chargeId, caller(secret));
    return isCharge(seen)
      ? { kind: "taken", status: seen.status, shopperAction: null }
      : { kind: "unanswered" };
  }

  async function watch(): Promise<void> {
    for (let round = 0; store.state().submission.phase === "settling"; round += 1) {
      await wait(WATCH_PAUSES_MS[round] ?? WATCH_PAUSE_LAST_MS);
      await look();
    }
  }

  async function look(): Promise<void> {
    const secret = ports.secretInUse();
    if (secret === null) {
      return;
    }
    let seen = await seeCharge(chargeId, caller(secret));
    if (seen !== null && "refused" in seen && seen.refused === "client_secret_expired" && !page.standalone) {
      const fresh = await ports.freshSecret();
      seen = fresh === null ? seen : await seeCharge(chargeId, caller(fresh));
    }
    tell(seen);
  }

  async function cancel(): Promise<void> {
    const secret = ports.secretInUse();
    if (secret !== null) {
      tell(await cancelShopperAction(chargeId, caller(secret)));
    }
  }

  function tell(seen: ShopperCharge | StatusRefused | null): void {
    if (isCharge(seen)) {
      const mayBePaidYet = seen.status === "created" || seen.status === "failed";
      if (!mayBePaidYet || Date.now() >= mayArriveUntil) {
        const wasLost = seen.status === "created" && mayArriveUntil > 0;
        const decline = declineOf(seen.decline_code);
        store.send(wasLost ? { type: "never-arrived" } : { type: "charge-seen", charge: seen, decline });
      }
    } else if (seen !== null) {
      store.send({ type: "look-refused", code: seen.refused });
    }
  }

  return { charge, look, watch, cancel };
}

function isCharge(seen: ShopperCharge | StatusRefused | null): seen is ShopperCharge {
  return seen !== null && "status" in seen;
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

/** The language of a locale: "en" for "en-US" (docs/calls.md#fixed-values). */
function languageOf(locale: string): string {
  return locale.split("-")[0] ?? "en";
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
