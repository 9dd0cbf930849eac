// Puts the form on the merchant's page and connects the frame, messages, submissions and events.

import type { ChallengeLabels, FromParent, ShopperAction } from "../../../form/generated/wire.ts";
import type { Cardform } from "./cardform.ts";
import type { FailureMessages } from "./failure.ts";
import { createFrame, placeFor, setHeight } from "./frame.ts";
import { hostBackground } from "./host-background.ts";
import { createListeners } from "./listeners.ts";
import type { HeardEvents, Load } from "./load.ts";
import { envelope, type FormMessage, isText, readMessage, readResult } from "./message.ts";
import { frameUrl, type MountOptions, reservedHeight, wireOptions } from "./options.ts";
import type { CardformErrorCode, LoadFailureCode, SubmitResult } from "./result.ts";
import { CHALLENGE_MS_MAX, createSubmitter } from "./submission.ts";

/** The methods in `controls.ts`. */
type Controls = Pick<Cardform, "setLocale" | "update" | "refresh" | "focus" | "clear">;

/**
 * How long the form, a later script of the SDK, or `clientSecret` may take, in milliseconds. The form waits as long for a client
 * secret.
 */
export const LOAD_MS_MAX = 15_000;

/** The shopper's message if the script with the messages cannot be loaded. */
const DEFAULT_MESSAGE = "Try again later.";

/** How often the SDK looks whether the page behind the form has become light or dark, in milliseconds. */
const HOST_MS = 1_000;

/**
 * Shows the form of a charge inside `target`, an element or the selector of one.
 * Throws when there is no such element, when it has a form already, or when `url` is not a web address.
 */
export function mount(target: string | Element, options: MountOptions): Cardform {
  const container = placeFor(target);
  const host = hostBackground(container);
  const url = frameUrl(options, location.href, Date.now(), host);
  // No other frame on the page has this name, even if another copy of the SDK made it.
  const name = `cardform-${Math.random()}`;
  const height = reservedHeight(options.options, matchMedia("(pointer:coarse)").matches);
  const frame = createFrame(url, name, options.title ?? "Card payment", height);

  const { on, emit, clear } = createListeners<HeardEvents>();
  let ready: boolean | null = null;
  const post = (message: FromParent) => frame.contentWindow?.postMessage(envelope(message, name), url.origin);
  const load: Load = {
    frame,
    url,
    options,
    host,
    wireOptions,
    post,
    on,
    fail: loadFailed,
  };

  async function failed(code: CardformErrorCode, cause?: unknown): Promise<SubmitResult> {
    let messages: FailureMessages = [code, DEFAULT_MESSAGE];
    try {
      messages = (await inTime(import("./failure.ts"))).messagesOf(code, load, cause);
    } catch {
      // Then the code is the message.
    }
    emit("error", { code, message: messages[0] });
    return { status: "failed", message: messages[1], errorCode: code };
  }

  async function clientSecret(): Promise<string | SubmitResult> {
    const given = load.options.clientSecret;
    let secret: unknown;
    let code: CardformErrorCode = "client-secret-unavailable";
    try {
      secret = await (typeof given === "function" ? inTime(given()) : given);
    } catch (thrown) {
      secret = { thrown };
      if (thrown === LATE) {
        code = "client-secret-timeout";
      }
    }
    return isText(secret) ? secret : failed(code, secret);
  }

  const submission = createSubmitter(() => ready, load, clientSecret, failed);

  function loadFailed(code: LoadFailureCode): void {
    load.over = true;
    clearTimeout(loadTimer);
    submission.loadFailed(failed(code));
  }

  /** Removes the challenge that is shown or about to be shown. */
  let closeChallenge = () => {};

  /** Shows the bank's challenge. Its code is fetched when needed, because few cards need it. The form posts the outcome. */
  function challenge(
    action: Extract<ShopperAction, { type: "challenge" }>,
    labels: ChallengeLabels | undefined,
  ): void {
    submission.limit(CHALLENGE_MS_MAX);
    let wanted = true;
    closeChallenge = () => {
      wanted = false;
    };
    const report = (message: FromParent) => {
      post(message);
      submission.limit();
    };
    inTime(import("./challenge.ts"))
      .then(({ openChallenge }) => {
        if (wanted) {
          closeChallenge = openChallenge(action, labels, report, load);
        }
      })
      // If the code cannot be loaded, the merchant must show the challenge.
      .catch(() => {
        if (wanted) {
          submission.answered({ status: "waiting_for_shopper_action", shopperAction: action });
        }
      });
  }

  function receive(message: FormMessage): void {
    switch (message.type) {
      case "user-loaded":
        clearTimeout(loadTimer);
        load.loaded = load.over = true;
        frame.title = options.title ?? message.title ?? frame.title;
        load.recover?.();
        submission.formLoaded();
        emit("load");
        break;
      case "load-error":
        inTime(import("./failure.ts")).then(
          ({ failed }) => failed(load, message.code),
          () => loadFailed(message.code),
        );
        break;
      case "form-ready-state": {
        const changed = message.ready !== !!ready;
        ({ ready } = message);
        submission.formSpoke();
        if (changed) {
          emit("ready-change", { ready });
        }
        break;
      }
      case "processing-result": {
        const result = readResult(message);
        load.sent = message.success || result.status === "outcome_unknown";
        closeChallenge();
        submission.answered(result);
        emit("result", result);
        break;
      }
      case "charge-changed": {
        const { status, shopper_action: shopperAction } = message;
        closeChallenge();
        load.sent = true;
        if (shopperAction?.type === "challenge") {
          challenge(shopperAction, message.labels);
        } else if (status === "waiting_for_shopper_action") {
          submission.answered({ status, shopperAction });
        } else if (status === "processing" || status === "outcome_unknown") {
          submission.answered({ status });
        }
        emit("charge-change", { status, shopperAction });
        break;
      }
      case "request-client-secret":
        void clientSecret().then(
          (secret) => isText(secret) && post({ type: "client-secret-response", client_secret: secret }),
        );
        break;
      case "submit-requested":
        emit("submit-request");
        break;
      default: {
        if (message.type === "resize") {
          setHeight(frame, message.height);
        }
        // The event has the message's name and fields.
        const { type, ...detail } = message;
        emit(type, detail as never);
      }
    }
  }

  function onMessage(event: MessageEvent<unknown>): void {
    const message = readMessage(event, frame.contentWindow, url.origin, name);
    if (message) {
      receive(message);
    }
  }

  /** A method that few forms need; its code is fetched when it is called. */
  function later<Name extends keyof Controls>(name: Name) {
    return (...given: Parameters<Controls[Name]>): Promise<boolean> =>
      inTime(import("./controls.ts")).then(
        (controls) =>
          (controls[name] as (load: Load, ...given: unknown[]) => Promise<boolean>)(load, ...given),
        () => false,
      );
  }

  const update = later("update");
  // No event tells when a class, a style sheet, a transition or the system has changed the page's background.
  const hostTimer = setInterval(() => {
    const now = hostBackground(container);
    if (load.loaded && now !== load.host) {
      load.host = now;
      void update({ options: {} });
    }
  }, HOST_MS);
  const loadTimer = setTimeout(loadFailed, LOAD_MS_MAX, "load-timeout");
  addEventListener("message", onMessage);
  // `load` is also raised for the browser's own error pages. The fetched script finds out which page has loaded.
  frame.onload = () =>
    load.over || import("./failure.ts").then(({ frameHasLoaded }) => frameHasLoaded(load), Boolean);
  container.append(frame);

  return {
    get ready() {
      return !!ready;
    },
    submit: submission.submit,
    on,
    setLocale: later("setLocale"),
    update,
    refresh: later("refresh"),
    focus: later("focus"),
    clear: later("clear"),
    unmount() {
      load.over = load.gone = true;
      clearTimeout(loadTimer);
      clearTimeout(hostTimer);
      removeEventListener("message", onMessage);
      load.recover?.();
      frame.remove();
      closeChallenge();
      submission.close();
      clear();
    },
  };
}

/** The reason when something is not there in time. */
const LATE = 0;

/** Rejects with `LATE` if `awaited` stalls. */
function inTime<T>(awaited: T | Promise<T>): Promise<T> {
  return Promise.race([awaited, new Promise<never>((_, reject) => setTimeout(reject, LOAD_MS_MAX, LATE))]);
}
