// Puts the form on the merchant's page and connects the frame, messages, submissions and events.

import type { ChallengeLabels, FromForm, FromParent, ShopperAction } from "../../../form/generated/wire.ts";
import type { Cardform } from "./cardform.ts";
import type { FailureMessages } from "./failure.ts";
import { createFrame, setHeight, uniqueFrameName } from "./frame.ts";
import { hostBackground } from "./host-background.ts";
import { createListeners } from "./listeners.ts";
import type { HeardEvents, Load } from "./load.ts";
import { envelope, readMessage, readResult } from "./message.ts";
import { frameUrl, type MountOptions, reservedHeight, wireOptions } from "./options.ts";
import type { CardformErrorCode, LoadFailureCode, SubmitResult } from "./result.ts";
import { createSubmitter } from "./submission.ts";

/** What is in `controls.ts`. */
type Controls = Pick<Cardform, "setLocale" | "update" | "refresh" | "focus" | "clear">;

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

  const { on, emit, clear } = createListeners<HeardEvents>();
  let ready: boolean | null = null;
  const post = (message: FromParent) => frame.contentWindow?.postMessage(envelope(message, name), url.origin);
  const { locale } = options;
  const load: Load = {
    frame,
    url,
    options,
    host,
    wireOptions,
    post,
    on,
    locale,
    loaded: false,
    fail: loadFailed,
    over: false,
  };

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
    const given = load.options.clientSecret;
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
        closeChallenge = openChallenge(action, labels, post, load);
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
        load.loaded = load.over = true;
        load.recover?.();
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
        const result = readResult(message);
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
        emitAll(message);
        break;
      default:
        emitAll(message);
    }
  }

  /** The event has the message's name and fields. */
  function emitAll({ type, ...detail }: Extract<FromForm, { type: keyof HeardEvents }>): void {
    emit(type, detail as never);
  }

  function onMessage(event: MessageEvent<unknown>): void {
    const message = readMessage(event, { window: frame.contentWindow, origin: url.origin, frame: name });
    if (message) {
      receive(message);
    }
  }

  /** What few forms need is fetched when it is called. */
  function later<Name extends keyof Controls>(name: Name) {
    return (...given: Parameters<Controls[Name]>): Promise<boolean> =>
      import("./controls.ts").then(
        (controls) =>
          (controls[name] as (load: Load, ...given: unknown[]) => Promise<boolean>)(load, ...given),
        () => false,
      );
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
    setLocale: later("setLocale"),
    update: later("update"),
    refresh: later("refresh"),
    focus: later("focus"),
    clear: later("clear"),
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
