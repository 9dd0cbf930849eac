// Handles a form that cannot be used: finds out why, tries once more, and tells the shopper and the developer. It is fetched
// only when something has failed.

import type { Embedding } from "../../../form/generated/wire.ts";
import { failureTexts } from "./failure-texts.ts";
import type { Load } from "./load.ts";
import type { CardformErrorCode, LoadFailureCode } from "./result.ts";

/** The messages of a failure: for the developer in English, and for the shopper. */
export type FailureMessages = readonly [developer: string, shopper: string];

/** The message for the developer, and whether trying again may help the shopper. */
const FAILURES: Readonly<Partial<Record<CardformErrorCode, readonly [developer: string, mayHelp: boolean]>>> =
  {
    "origin-not-allowed": [
      "this page's origin is none of the merchant's allowed origins, so the browser shows no form. Add it: cardform merchant set.",
      false,
    ],
    "blocked-by-page-policy": [
      "this page's content security policy forbids the form's frame. Allow the origin of `url` in frame-src.",
      false,
    ],
    "server-unreachable": ["the server at `url` cannot be reached.", true],
    "payload-refused": [
      "the payload opens no form. Pass the `payload` of POST /v1/charges as it is; the frame's page says more.",
      false,
    ],
    "page-unavailable": ["the server could not make the form's page. Its log says why.", true],
    "script-failed": ["the form's page came, but its script did not start or failed.", true],
    "load-timeout": ["the form said nothing in time, and the browser does not tell why.", true],
    "client-secret-unavailable": ["`clientSecret` threw, rejected or gave no text.", true],
    "client-secret-timeout": ["`clientSecret` did not answer in time.", true],
    "submit-timeout": [
      "the form has not answered. Ask your server for the outcome; nobody may pay again.",
      false,
    ],
  };

/** Failures after which there is no form on the page. */
const LOAD_FAILURES: ReadonlySet<string> = new Set<LoadFailureCode>([
  "origin-not-allowed",
  "blocked-by-page-policy",
  "server-unreachable",
  "payload-refused",
  "page-unavailable",
  "script-failed",
  "load-timeout",
]);

/** How long the form may take to send its first message after its page has loaded. */
const HELLO_MS = 1_000;
/** How long the server may take to say why the form does not load. */
const ANSWER_MS = 5_000;
/** The pause before the frame is loaded once more. */
const RETRY_MS = 500;
/** How long the form may take to load when the shopper presses "Try again". */
const AGAIN_MS = 15_000;

/** The messages for `code`. If the form cannot be used, the shopper's message replaces the frame. */
export function messagesOf(code: CardformErrorCode, load: Load): FailureMessages {
  const [why, mayHelp] = FAILURES[code] ?? [code, true];
  const developer = `Cardform: ${why}`;
  console.error(developer);
  const [later, never, tryAgain] = failureTexts(load.locale ?? navigator.language);
  const shopper = mayHelp ? later : never;
  if (LOAD_FAILURES.has(code)) {
    replaceFrame(load, shopper, mayHelp ? tryAgain : null);
  }
  return [developer, shopper];
}

/** The frame has loaded something. If no message comes from the form, finds out why. */
export async function frameHasLoaded(load: Load): Promise<void> {
  const { retry } = load;
  if (retry === "waits") {
    // This page has reported its error itself.
    return;
  }
  const code = await reasonOf(load);
  // If it has reported an error meanwhile, the reason found here is about the page before.
  if (!load.over && load.retry === retry) {
    await failed(load, code);
  }
}

/**
 * The load has failed, perhaps for an unknown reason. If that may help, it is tried once more before anyone is told. A form
 * that fails while it is used is not loaded again: a payment may be under way.
 */
export async function failed(load: Load, code: LoadFailureCode | null): Promise<void> {
  const mayHelp = code === null || FAILURES[code]?.[1];
  if (!load.over && !load.retry && mayHelp) {
    load.retry = "waits";
    await wait(RETRY_MS);
    if (!load.over) {
      load.retry = "made";
      load.frame.src = load.url.href;
    }
  } else if (code !== null) {
    load.fail(code);
  }
}

/**
 * Asks the server why the frame was refused, because the browser does not say; null if the server cannot be asked. If the
 * page's policy forbids the frame, the browser reports that when the frame is loaded once more.
 */
async function reasonOf({ url, options, retry }: Load): Promise<LoadFailureCode | null> {
  const hello = wait(HELLO_MS);
  if (retry && forbidden.has(url.origin)) {
    return "blocked-by-page-policy";
  }
  document.addEventListener("securitypolicyviolation", noteViolation);
  try {
    const query = `payload=${encodeURIComponent(options.payload)}`;
    const answer = await fetch(`${url.origin}/v1/pub/embedding?${query}`, {
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const { result } = (await answer.json()) as Partial<Embedding>;
    if (result === "origin-not-allowed" || result === "payload-refused") {
      return result;
    }
  } catch {
    // The event about the policy comes in a later task.
    await wait(0);
    return unaskable.has(url.origin) ? null : "server-unreachable";
  }
  await hello;
  return "script-failed";
}

/** Origins of which this page's policy forbids frames, and origins to which it forbids calls. */
const forbidden = new Set<string>();
const unaskable = new Set<string>();

function noteViolation({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void {
  if (URL.canParse(blockedURI)) {
    (effectiveDirective === "connect-src" ? unaskable : forbidden).add(new URL(blockedURI).origin);
  }
}

/** Replaces the frame with the shopper's message and, if trying again may help, a button. */
function replaceFrame(load: Load, shopper: string, tryAgain: string | null): void {
  const { frame } = load;
  load.recover?.();
  const box = document.createElement("div");
  box.setAttribute("role", "alert");
  // Through the CSSOM, because a strict content security policy forbids the style attribute.
  box.style.cssText = "padding:16px;border:1px solid;border-radius:8px;font-size:14px;line-height:1.5";
  box.append(shopper);
  if (tryAgain !== null) {
    const button = document.createElement("button");
    button.type = "button";
    button.style.cssText = "display:block;min-height:44px;margin-top:8px;padding:0 16px;font:inherit";
    button.textContent = tryAgain;
    button.addEventListener("click", () => {
      load.recover?.();
      load.over = false;
      load.retry = undefined;
      frame.src = load.url.href;
      setTimeout(() => load.over || load.fail("load-timeout"), AGAIN_MS);
    });
    box.append(button);
  }
  const { display } = frame.style;
  frame.style.display = "none";
  frame.after(box);
  load.recover = () => {
    box.remove();
    frame.style.display = display;
    delete load.recover;
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
