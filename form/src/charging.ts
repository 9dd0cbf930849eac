// Paying, and watching what became of it: the effects of a submission. A script of its own, fetched once the form can be
// used; nobody pays sooner.

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

/** How long a charge waits at most for the fraud prevention's token, its script on the way included. */
const SCRIPT_TIMEOUT_MS = 15_000;
/** Pauses between looks at a charge whose outcome is awaited; the last one is kept. */
const WATCH_PAUSES_MS = [500, 1_000, 2_000] as const;
const WATCH_PAUSE_LAST_MS = 4_000;
/** How long a request whose answer was lost may still be on its way to the server. Before, "not paid" is not believed. */
const LATE_ARRIVAL_MS = 10_000;

/** What the server would say of a card that this browser cannot seal, and that it must not send as it is. */
const NOT_SEALED: ChargeAnswer = { kind: "refused", code: "plain_card_refused" };

/** What paying needs of the rest of the page. */
export interface ChargingPorts {
  readonly page: FormPage;
  readonly store: FormStore;
  /** The client secret in use; null before there is one. */
  readonly secretInUse: () => string | null;
  /** A new one from whoever has it; null when none comes. */
  readonly freshSecret: () => Promise<string | null>;
  /** Who calls with this client secret. */
  readonly caller: (secret: string) => Caller;
  /** What the form speaks: "fr-FR". */
  readonly language: () => string;
  readonly ipAddress: () => string;
  /** The fraud prevention's token, once it is known; empty without one. */
  readonly fraudToken: () => Promise<string>;
  /** The device data's session of the present card number; null without one. */
  readonly deviceSession: () => Promise<string | null>;
}

export interface Charging {
  readonly charge: (secret: string, state: FormState) => Promise<void>;
  /** Asks the server once where the charge stands. */
  readonly look: () => Promise<void>;
  /** Asks until nothing is awaited any more. */
  readonly watch: () => Promise<void>;
  /** Has the server give up the challenge. */
  readonly cancel: () => Promise<void>;
}

export function createCharging(ports: ChargingPorts): Charging {
  const { page, store, caller } = ports;
  const { chargeId } = page.intent;
  /** One per press of the pay button; kept while no answer came, so that pressing again asks about the same press. */
  let press: string | null = null;
  /** Until when a request may still arrive whose answer was lost, in milliseconds since 1970. */
  let mayArriveUntil = 0;

  async function charge(secret: string, state: FormState): Promise<void> {
    press ??= crypto.randomUUID();
    const { intent } = page;
    const spoken = languageOf(ports.language());
    const saved = selectedCard(state);
    // Only a new card's first digits were told to whoever collects device data.
    const deviceSessionId = saved === null ? await ports.deviceSession() : null;
    const fraudToken =
      page.fraud_script && (await Promise.race([ports.fraudToken(), wait(SCRIPT_TIMEOUT_MS)]));
    const about = browser(ports.ipAddress(), deviceSessionId, fraudToken || "");
    const request =
      saved === null
        ? newCardCharge(intent, texts(state), state.savesCard, about, spoken)
        : savedCardCharge(intent, saved.id, state.fields.savedSecurity.text, about, spoken);
    const sent = await withSealedCard(request, page, secret);
    const answer =
      sent === null ? NOT_SEALED : await believed(await payCharge(sent, caller(secret), press), secret);
    if (answer.kind === "unanswered") {
      mayArriveUntil = Date.now() + LATE_ARRIVAL_MS;
    } else {
      press = null;
      mayArriveUntil = 0;
    }
    store.send({ type: "charge-answered", answer });
  }

  /** A charge that cannot be paid any more: only a look says why. */
  async function believed(answer: ChargeAnswer, secret: string): Promise<ChargeAnswer> {
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

/** "en" of "en-US" (docs/calls.md#fixed-values). */
function languageOf(locale: string): string {
  return locale.split("-")[0] ?? "en";
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
