// The effects of a submission: sends the charge and asks for its outcome. A separate script, which is fetched once the form
// can be used, because no payment needs it before.

import type { DirectCharge, FormPage, FromForm, ShopperCharge, ShownAgreement } from "../generated/wire.ts";
import { NETWORK_PREFIX_LENGTH, networkOf, networkPrefix, networksOf } from "./card/card-networks.ts";
import { type Browser, newCardCharge, savedCardCharge } from "./card/charge-request.ts";
import { ofEachField } from "./card/field.ts";
import { type ChargeAnswer, type FormState, selectedCard } from "./card/form.ts";
import { formConfig } from "./form-config.ts";
import type { FormStore } from "./form-store.ts";
import { followFocus } from "./give-focus-back.ts";
import type { LanguageStore } from "./i18n/language.ts";
import type { LookUps } from "./look-ups.ts";
import { lookUpNetworks } from "./payments/card-networks.ts";
import { cancelShopperAction, declineOf, payCharge, type SeenCharge, seeCharge } from "./payments/charges.ts";
import type { ClientSecrets } from "./payments/client-secrets.ts";
import { createDeviceData, type DeviceData } from "./payments/device-data.ts";
import { withSealedCard } from "./payments/sealed-request.ts";
import { keepLook } from "./theme/kept-look.ts";
import { wait } from "./wait.ts";

/** The longest that a charge waits for the fraud prevention's token, including the loading of its script. */
const SCRIPT_TIMEOUT_MS = 15_000;
/** Pauses between questions about a charge's outcome. After these, `WATCH_PAUSE_LAST_MS` is used. */
const WATCH_PAUSES_MS = [500, 1_000, 2_000] as const;
const WATCH_PAUSE_LAST_MS = 4_000;
/** How long a request without an answer may still be on its way to the server. Until then "not paid" is not believed. */
const LATE_ARRIVAL_MS = 10_000;

/** The answer if this browser cannot seal the card and must not send it unsealed. The server would answer the same. */
const NOT_SEALED: ChargeAnswer = { kind: "refused", code: "plain_card_refused" };

export class Charging {
  readonly deviceData: DeviceData;
  /** Gives the focus back to the form's field that lost it. */
  readonly giveFocusBack: () => void;
  /** The idempotency key. Each press of the pay button has its own; it is kept until the answer or a decline is known. */
  private press: string | null = null;
  /** Grows with each press and each decline. An answer to a question from before does not count. */
  private turn = 0;
  /** Until when a request without an answer may still arrive, in milliseconds since 1970. */
  private mayArriveUntil = 0;
  /** The code of the last decline that the form was told. */
  private declinedWith: string | null = null;

  constructor(
    private readonly page: FormPage,
    private readonly store: FormStore,
    private readonly language: LanguageStore,
    private readonly secrets: ClientSecrets,
    private readonly lookUps: Pick<LookUps, "facts" | "learnt">,
  ) {
    if (!isSecureContext) {
      console.warn(
        "Cardform: without https this browser has no crypto.subtle, so the card cannot be sealed. Serve this page, and the pages that frame it, over https or from localhost.",
      );
    }
    if (page.standalone) {
      // A whole link that follows an incomplete one only changes the fragment.
      addEventListener("hashchange", () => {
        const { phase } = store.state().submission;
        if (/link=|client_secret=/.test(location.hash) && (phase === "open" || phase === "closed")) {
          location.reload();
        }
      });
    }
    this.giveFocusBack = followFocus(store.config.fields);
    const caller = async () =>
      secrets.inUse === null ? secrets.freshCaller() : secrets.caller(secrets.inUse);
    this.deviceData = createDeviceData(page.device_data_timeout_ms, caller);
    const asked = new Set<string>();
    const look = () => {
      this.deviceData.cardNumberIs(store.state().fields.cardNumber);
      const prefix = networkPrefix(store.state());
      if (prefix.length === NETWORK_PREFIX_LENGTH && !asked.has(prefix)) {
        asked.add(prefix);
        void caller()
          .then((found) => (found === null ? [] : lookUpNetworks(prefix, found)))
          .then((ranges) => store.send({ type: "networks-found", prefix, ranges }));
      }
    };
    store.subscribe(look);
    look();
  }

  async charge(secret: string, state: FormState): Promise<void> {
    const { page, secrets } = this;
    let sent: DirectCharge | null;
    this.turn += 1;
    try {
      // `randomUUID` is missing without https.
      this.press ??= crypto.getRandomValues(new Uint32Array(4)).join("-");
      sent = await withSealedCard(await this.request(state), page, secret);
    } catch (error) {
      console.error("The payment could not be prepared.", error);
      this.store.send({ type: "never-arrived" });
      return;
    }
    const answer =
      sent === null
        ? NOT_SEALED
        : await this.withReason(await payCharge(sent, secrets.caller(secret), this.press), secret);
    if (answer.kind === "unanswered") {
      this.mayArriveUntil = Date.now() + LATE_ARRIVAL_MS;
    } else {
      this.press = null;
      this.mayArriveUntil = 0;
    }
    if (answer.kind === "declined") {
      this.declinedWith = answer.declineCode;
    }
    this.store.send({ type: "charge-answered", answer });
    if (answer.kind === "taken") {
      await this.describeCharge();
    }
  }

  /** Asks for a finished charge if no look has told of it: the payment page needs its `return_url`. */
  private async describeCharge(): Promise<void> {
    for (const pause of WATCH_PAUSES_MS) {
      const { submission, charge } = this.store.state();
      if (submission.phase !== "closed" || charge !== null) {
        return;
      }
      await this.look();
      await wait(pause);
    }
  }

  /** Polls until the outcome is known. */
  async watch(): Promise<void> {
    const { turn } = this;
    const isWanted = () => this.turn === turn && this.store.state().submission.phase === "settling";
    for (let round = 0; isWanted(); round += 1) {
      await wait(pauseAfter(round));
      if (isWanted()) {
        await this.look();
      }
    }
  }

  /** Asks the server once for the charge's status. */
  async look(): Promise<void> {
    const { page, secrets, turn } = this;
    if (secrets.inUse === null) {
      return;
    }
    let seen = await seeCharge(page.intent.chargeId, secrets.caller(secrets.inUse));
    if (seen !== null && "refused" in seen && seen.refused === "client_secret_expired" && secrets.canAsk) {
      const caller = await secrets.freshCaller();
      seen = caller === null ? seen : await seeCharge(page.intent.chargeId, caller);
    }
    this.tell(seen, turn);
  }

  /** Cancels the challenge. Repeated while this payment waits for it, because the shopper cannot close it a second time. */
  async cancel(): Promise<void> {
    const { page, secrets, turn } = this;
    const isWanted = () => {
      const { submission } = this.store.state();
      const waits = submission.phase === "settling" && submission.status === "waiting_for_shopper_action";
      return waits && this.turn === turn;
    };
    for (let round = 0; secrets.inUse !== null && isWanted(); round += 1) {
      this.tell(await cancelShopperAction(page.intent.chargeId, secrets.caller(secrets.inUse)), turn);
      await wait(pauseAfter(round));
    }
  }

  /** A parent that shows a challenge needs labels for its dialog in the shopper's language. */
  withLabels(message: FromForm): FromForm {
    const text = this.language.text();
    return message.type === "charge-changed" && message.shopper_action?.type === "challenge"
      ? {
          ...message,
          labels: {
            title: text("challenge_title"),
            close: text("challenge_close"),
            new_window: text("challenge_new_window"),
            lang: this.language.current().iso,
          },
        }
      : message;
  }

  private async request(state: FormState): Promise<DirectCharge> {
    const { page, lookUps } = this;
    keepLook();
    const saved = selectedCard(state);
    // Device data was collected for the first digits of a new card, so a saved card has none.
    const deviceSessionId = saved === null ? await this.deviceData.sessionId() : null;
    const fraudToken =
      page.fraud_script &&
      (await Promise.race([lookUps.learnt.then(() => lookUps.facts.fraudToken()), wait(SCRIPT_TIMEOUT_MS)]));
    const about = browser(lookUps.facts.ipAddress, fraudToken || "");
    const language = languageOf(this.language.current().iso);
    // A field that the merchant has hidden may still have a text.
    const shown = formConfig(page).fields;
    const network = networksOf(state).length > 1 ? networkOf(this.store.config, state) : null;
    const texts = ofEachField((name) => (shown.includes(name) ? state.fields[name].text : ""));
    return saved === null
      ? newCardCharge(
          page.intent,
          texts,
          state.savesCard || this.store.config.isSetup ? this.agreement() : null,
          about,
          deviceSessionId,
          language,
          network,
        )
      : savedCardCharge(
          page.intent,
          saved.id,
          state.saved.renews ? state.fields.savedExpiry.text : null,
          state.fields.savedSecurity.text,
          about,
          language,
          network,
        );
  }

  /** The text of the checkbox that the shopper sees. The server knows what it asks for; replaced words are only named so. */
  private agreement(): ShownAgreement {
    const key = this.store.config.saveCardText;
    const text_id = this.language.isOwn(key) ? `own_${key}` : key;
    return { text_id, locale: this.language.current().locale };
  }

  /** If the charge cannot be paid any more, or not with this client secret, asks where it stands, because it may be paid. */
  private async withReason(answer: ChargeAnswer, secret: string): Promise<ChargeAnswer> {
    const isExpired = answer.kind === "refused" && answer.code === "client_secret_expired";
    if (answer.kind !== "refused" || !(isExpired || answer.code === "charge_not_payable")) {
      return answer;
    }
    const seen = await seeCharge(this.page.intent.chargeId, this.secrets.caller(secret));
    if (isExpired && !(isCharge(seen) && !isPayable(seen))) {
      return answer;
    }
    return isCharge(seen)
      ? { kind: "taken", status: seen.status, shopperAction: seen.shopper_action }
      : { kind: "unanswered" };
  }

  /** Tells the form what the server answered to a question of `turn`. */
  private tell(seen: SeenCharge, turn: number): void {
    if (turn !== this.turn || this.store.state().submission.phase === "charging") {
      return;
    }
    if (isCharge(seen)) {
      if (!isPayable(seen) || Date.now() >= this.mayArriveUntil) {
        // After a decline the charge is still what that card has left.
        const isAsBefore = seen.status === "created" || seen.decline_code === this.declinedWith;
        const wasLost = isPayable(seen) && isAsBefore && this.mayArriveUntil > 0;
        if (seen.status === "failed") {
          this.declinedWith = seen.decline_code;
          // The service answers the same key with the same decline.
          this.press = null;
          this.mayArriveUntil = 0;
          this.turn += 1;
        }
        const decline = declineOf(seen.decline_code);
        this.store.send(wasLost ? { type: "never-arrived" } : { type: "charge-seen", charge: seen, decline });
      }
    } else if (seen !== null) {
      // With an expired secret the server shows each charge that had a payment.
      const isUnpaid = seen.refused === "client_secret_expired" && this.mayArriveUntil > 0;
      const wasLost = isUnpaid && Date.now() >= this.mayArriveUntil;
      this.store.send(wasLost ? { type: "never-arrived" } : { type: "look-refused", code: seen.refused });
    }
  }
}

function isCharge(seen: SeenCharge): seen is ShopperCharge {
  return seen !== null && "status" in seen;
}

/** Whether the charge is not paid and can still be. */
function isPayable({ status }: ShopperCharge): boolean {
  return status === "created" || status === "failed";
}

function browser(ipAddress: string, fraudToken: string): Browser {
  return {
    ip_address: ipAddress,
    user_agent: navigator.userAgent,
    timezone: new Date().getTimezoneOffset(),
    screen_height: screen.height,
    screen_width: screen.width,
    color_depth: screen.colorDepth,
    fraud_metadata: { fraud_token: fraudToken },
  };
}

/** The language of a locale: "en" for "en-US" (docs/calls.md#fixed-values). */
function languageOf(locale: string): string {
  return locale.split("-")[0] ?? "en";
}

function pauseAfter(round: number): number {
  return WATCH_PAUSES_MS[round] ?? WATCH_PAUSE_LAST_MS;
}
