// Puts the form on the merchant's page and connects the frame, messages, submissions and events.

import type {
  ChallengeLabels,
  ChargeStatus,
  FieldAction,
  FromForm,
  FromParent,
  ShopperAction,
} from "../../../form/generated/wire.ts";
import type { FailureMessages, Load } from "./failure.ts";
import { createFrame, setHeight, uniqueFrameName } from "./frame.ts";
import { hostBackground } from "./host-background.ts";
import { createListeners, type Unsubscribe } from "./listeners.ts";
import { envelope, readMessage } from "./message.ts";
import { frameUrl, type MountOptions, reservedHeight } from "./options.ts";
import type { CardformError, CardformErrorCode, LoadFailureCode, SubmitResult } from "./result.ts";
import { createSubmitter } from "./submission.ts";

/** The events and their details. */
export interface CardformEvents {
  /** The form can be used. */
  load: undefined;
  /** Whether the form could be submitted now has changed. */
  "ready-change": { readonly ready: boolean };
  /** The charge waits for the shopper or for the provider. */
  "charge-change": { readonly status: ChargeStatus; readonly shopperAction: ShopperAction | null };
  /** How a payment ended, or that the form was not ready. It also comes after `submit()` has resolved with `processing`. */
  result: SubmitResult;
  /** The shopper pressed Enter in a form that is ready; call `submit()` as your pay button does. */
  "submit-request": undefined;
  /** Something happened at a field (`card-number`); never what was typed. */
  "field-action": { readonly action: FieldAction; readonly field: string };
  /** The form's height in CSS pixels; the frame follows by itself. */
  resize: { readonly height: number };
  /** An error that the shopper cannot correct. */
  error: CardformError;
}

/** A form on the page. */
export interface Cardform {
  /** Whether the form could be submitted now. */
  readonly ready: boolean;
  /** Pays. Never rejects. While a payment is under way it returns the same promise. */
  submit(): Promise<SubmitResult>;
  /** Calls `listener` at each such event until the returned function is called. */
  on<Name extends keyof CardformEvents>(
    name: Name,
    listener: (detail: CardformEvents[Name]) => void,
  ): Unsubscribe;
  /** Changes the form's language: `fr-FR`. */
  setLocale(locale: string): void;
  /** Removes the form. A payment that was already sent resolves with `outcome_unknown`. */
  unmount(): void;
}

/** How long the form may take to load, in milliseconds. */
export const LOAD_MS_MAX = 15_000;
/** How long `clientSecret` may take, in milliseconds. The form waits as long. */
export const CLIENT_SECRET_MS_MAX = 15_000;

/** The shopper's message if the script with the messages cannot be loaded. */
const DEFAULT_MESSAGE = "Try again later.";

/**
 * Shows the form of a charge inside `target`, an element or the selector of one.
 * Throws when there is no such element or `url` is not a web address.
 */
export function mount(target: string | Element, options: MountOptions): Cardform {
  const container = typeof target === "string" ? document.querySelector(target) : target;
  if (!container) {
    throw new Error(`Cardform: no element "${target}".`);
  }
  const host = hostBackground(container);
  const url = frameUrl(options, location.href, Date.now(), host);
  const name = uniqueFrameName();
  const title = options.title ?? "Card payment";
  const height = reservedHeight(options.options, matchMedia("(pointer: coarse)").matches);
  const frame = createFrame({ url, name, title, height });

  const { on, emit, clear } = createListeners<CardformEvents>();
  let ready: boolean | null = null;
  let loaded = false;
  const load: Load = { frame, url, options, locale: options.locale, fail: loadFailed, over: false };

  const post = (message: FromParent) => frame.contentWindow?.postMessage(envelope(message, name), url.origin);

  async function failed(code: CardformErrorCode): Promise<SubmitResult> {
    let messages: FailureMessages = [code, DEFAULT_MESSAGE];
    try {
      messages = (await import("./failure.ts")).messagesOf(code, load);
    } catch {
      // Then the code is the message.
    }
    emit("error", { code, message: messages[0] });
    return { status: "failed", message: messages[1], errorCode: code };
  }

  async function clientSecret(): Promise<string | SubmitResult> {
    const given = options.clientSecret;
    try {
      const secret =
        typeof given === "function"
          ? await Promise.race([
              given(),
              new Promise<null>((resolve) => setTimeout(resolve, CLIENT_SECRET_MS_MAX, null)),
            ])
          : given;
      if (secret === null) {
        return failed("client-secret-timeout");
      }
      if (typeof secret === "string" && secret !== "") {
        return secret;
      }
    } catch {
      // The merchant's error is not logged: it may have secrets in it.
    }
    return failed("client-secret-unavailable");
  }

  const submission = createSubmitter({ isReady: () => ready, post, clientSecret, failed });

  function loadFailed(code: LoadFailureCode): void {
    load.over = true;
    clearTimeout(loadTimer);
    submission.loadFailed(failed(code));
  }

  /** Removes the challenge that is shown or about to be shown. */
  let closeChallenge = () => {};

  /** Shows the bank's challenge; the form tells how it ended. The code is fetched when needed, because few cards need it. */
  async function challenge(
    action: Extract<ShopperAction, { type: "challenge" }>,
    labels: ChallengeLabels | undefined,
  ): Promise<void> {
    submission.shopperActs();
    let wanted = true;
    closeChallenge = () => {
      wanted = false;
    };
    try {
      const { openChallenge } = await import("./challenge.ts");
      if (wanted) {
        closeChallenge = openChallenge(action, labels, post, { host, options });
      }
    } catch {
      // If the code cannot be loaded, the merchant must show the challenge.
      submission.answered({ status: "waiting_for_shopper_action", shopperAction: action });
    }
  }

  async function answerClientSecret(): Promise<void> {
    const secret = await clientSecret();
    if (typeof secret === "string") {
      post({ type: "client-secret-response", client_secret: secret });
    }
  }

  function receive(message: FromForm): void {
    switch (message.type) {
      case "user-loaded":
        clearTimeout(loadTimer);
        loaded = load.over = true;
        load.recover?.();
        if (load.locale !== undefined && load.locale !== options.locale) {
          post({ type: "language-change", locale: load.locale });
        }
        submission.formLoaded();
        emit("load", undefined);
        break;
      case "load-error":
        import("./failure.ts").then(({ failed }) => failed(load, message.code), loadFailed);
        break;
      case "form-ready-state": {
        const changed = message.ready !== (ready ?? false);
        ({ ready } = message);
        submission.formSpoke();
        if (changed) {
          emit("ready-change", { ready });
        }
        break;
      }
      case "processing-result": {
        const result = resultOf(message);
        closeChallenge();
        submission.answered(result);
        emit("result", result);
        break;
      }
      case "charge-changed": {
        const { status, shopper_action: shopperAction } = message;
        closeChallenge();
        if (shopperAction?.type === "challenge") {
          void challenge(shopperAction, message.labels);
        } else if (status === "waiting_for_shopper_action") {
          submission.answered({ status, shopperAction });
        } else if (status === "processing" || status === "outcome_unknown") {
          submission.answered({ status });
        }
        emit("charge-change", { status, shopperAction });
        break;
      }
      case "request-client-secret":
        void answerClientSecret();
        break;
      case "submit-requested":
        emit("submit-request", undefined);
        break;
      case "resize":
        setHeight(frame, message.height);
        emit("resize", { height: message.height });
        break;
      case "field-action":
        emit("field-action", { action: message.action, field: message.field });
        break;
    }
  }

  function onMessage(event: MessageEvent<unknown>): void {
    const message = readMessage(event, { window: frame.contentWindow, origin: url.origin, frame: name });
    if (message) {
      receive(message);
    }
  }

  const loadTimer = setTimeout(loadFailed, LOAD_MS_MAX, "load-timeout");
  window.addEventListener("message", onMessage);
  // `load` also comes for the browser's own error pages; the fetched script finds out what was loaded.
  frame.onload = () =>
    load.over || import("./failure.ts").then(({ frameHasLoaded }) => frameHasLoaded(load), Boolean);
  container.append(frame);

  return {
    get ready() {
      return ready ?? false;
    },
    submit: submission.submit,
    on,
    setLocale(locale) {
      if (locale !== load.locale) {
        load.locale = locale;
        // A form that has not loaded gets the locale when it sends `user-loaded`.
        if (loaded) {
          post({ type: "language-change", locale });
        }
      }
    },
    unmount() {
      load.over = true;
      clearTimeout(loadTimer);
      window.removeEventListener("message", onMessage);
      load.recover?.();
      frame.remove();
      closeChallenge();
      submission.close();
      clear();
    },
  };
}

function resultOf(message: Extract<FromForm, { type: "processing-result" }>): SubmitResult {
  if (message.success) {
    return { status: "succeeded" };
  }
  const { message: text, decline_code: declineCode, error_code: errorCode, not_ready } = message;
  if (not_ready) {
    return { status: "not-ready" };
  }
  return {
    status: "failed",
    message: text,
    ...(declineCode && { declineCode }),
    ...(errorCode && { errorCode }),
  };
}
