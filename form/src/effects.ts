// The one place where what the form machine wants becomes I/O: messages, calls, focus.

import type { FormPage, FromParent } from "../generated/wire.ts";
import { type Browser, newCardCharge } from "./card/charge-request.ts";
import { FIELD_IDS, type FieldName } from "./card/field.ts";
import type { Effect, Failure, FormState } from "./card/form.ts";
import type { FormStore } from "./form-store.ts";
import { textOf } from "./i18n/text.ts";
import { openChannel } from "./parent/channel.ts";
import { type Caller, payCharge, seeCharge } from "./payments/charges.ts";
import { lookUpAddress } from "./payments/ip-address.ts";

/** How long a parent may take to hand over the client secret that it was asked for. */
const CLIENT_SECRET_TIMEOUT_MS = 15_000;
/** Pauses between looks at a charge whose outcome is awaited; the last one is kept. */
const WATCH_PAUSES_MS = [500, 1_000, 2_000] as const;
const WATCH_PAUSE_LAST_MS = 4_000;
/** The service that tells the client's address: our own. */
const ADDRESS_URL = "/v1/pub/ip";

/** Connects `store` to the browser: from here on its effects are carried out and the parent's messages reach it. */
export function runEffects(page: FormPage, store: FormStore): void {
  const text = textOf(page.context.messages);
  const channel = openChannel(window, {
    allowedOrigins: page.allowed_origins,
    variant: page.options.variant,
    onMessage,
  });
  /** What the charge is looked at with: the standalone page's own, later the one that was paid with. */
  let secretInUse = page.standalone ? secretInAddress() : null;
  let secretTimer: ReturnType<typeof setTimeout> | undefined;
  let ipAddress = "";
  /** One per press of the pay button; kept while no answer came, so that pressing again asks about the same press. */
  let press: string | null = null;

  store.onEffect(run);
  store.send({ type: "loaded" });
  followHeight((height) => channel.post({ type: "resize", height }));
  void lookUpAddress(ADDRESS_URL).then((address) => {
    ipAddress = address;
  });
  if (page.standalone && secretInUse === null) {
    store.send({ type: "link-incomplete" });
  } else {
    void look();
  }

  function onMessage(message: FromParent): void {
    switch (message.type) {
      case "submit-ready":
        store.send({ type: "submit", clientSecret: message.client_secret });
        break;
      case "submit-not-ready":
        store.send({ type: "submit-attempted" });
        break;
      case "client-secret-response":
        clearTimeout(secretTimer);
        store.send({ type: "client-secret", clientSecret: message.client_secret });
        break;
      // There is one language and no device data collection yet.
      case "language-change":
      case "device-data-initiate":
        break;
    }
  }

  function run(effect: Effect, state: FormState): void {
    switch (effect.type) {
      case "post":
        channel.post(effect.message);
        break;
      case "post-result":
        postResult(effect.failure);
        break;
      case "request-client-secret":
        requestClientSecret();
        break;
      case "focus":
        document.getElementById(FIELD_IDS[effect.field])?.focus();
        break;
      case "charge":
        void charge(effect.clientSecret, state);
        break;
      case "watch-charge":
        void watchCharge();
        break;
    }
  }

  function requestClientSecret(): void {
    if (page.standalone && secretInUse !== null) {
      store.send({ type: "client-secret", clientSecret: secretInUse });
      return;
    }
    channel.post({ type: "request-client-secret" });
    secretTimer = setTimeout(() => store.send({ type: "client-secret-missing" }), CLIENT_SECRET_TIMEOUT_MS);
  }

  function postResult(failure: Failure | null): void {
    channel.post({
      type: "processing-result",
      success: failure === null,
      message: failure === null ? "" : text(failure.messageKey),
      ...(failure?.declineCode ? { decline_code: failure.declineCode } : {}),
    });
  }

  async function charge(secret: string, state: FormState): Promise<void> {
    secretInUse = secret;
    press ??= crypto.randomUUID();
    const request = newCardCharge(
      page.intent,
      texts(state),
      browser(ipAddress),
      languageOf(page.context.locale),
    );
    const answer = await payCharge(request, caller(secret), press);
    if (answer.kind !== "unanswered") {
      press = null;
    }
    store.send({ type: "charge-answered", answer });
  }

  /** Asks the server where the charge stands until nothing is awaited any more. */
  async function watchCharge(): Promise<void> {
    for (let round = 0; store.state().submission.phase === "settling"; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, WATCH_PAUSES_MS[round] ?? WATCH_PAUSE_LAST_MS));
      await look();
    }
  }

  async function look(): Promise<void> {
    const seen = secretInUse === null ? null : await seeCharge(page.intent.chargeId, caller(secretInUse));
    if (seen !== null) {
      store.send({ type: "charge-seen", charge: seen });
    }
  }

  function caller(secret: string): Caller {
    return { clientSecret: secret, cookieId: page.options.cookie_id };
  }
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

function browser(ipAddress: string): Browser {
  return {
    ipAddress,
    userAgent: navigator.userAgent,
    timezone: new Date().getTimezoneOffset(),
    screenHeight: screen.height,
    screenWidth: screen.width,
    colorDepth: screen.colorDepth,
  };
}

/** "en" of "en-US" ("§9": default language en). */
function languageOf(locale: string): string {
  return locale.split("-")[0] ?? "en";
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
