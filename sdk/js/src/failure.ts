// What to do about a form that cannot be used: finds out why, tries once more, and tells shopper and developer each in
// their own words. Fetched when something has failed, so that nobody else downloads it.

import type { Embedding } from "../../../form/generated/wire.ts";
import { failureTexts } from "./failure-texts.ts";
import type { MountOptions } from "./options.ts";
import type { CardformErrorCode, LoadFailureCode } from "./result.ts";

/** What is said of a failure: to the developer in English, and to the shopper. */
export type FailureWords = readonly [developer: string, shopper: string];

/** What to tell the developer, and whether trying again may help the shopper. */
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

/** Failures after which there is no form to read. */
const LOAD_FAILURES: ReadonlySet<string> = new Set<LoadFailureCode>([
  "origin-not-allowed",
  "blocked-by-page-policy",
  "server-unreachable",
  "payload-refused",
  "page-unavailable",
  "script-failed",
  "load-timeout",
]);

/** How long after its page has come the form may take to say so. */
const HELLO_MS = 1_000;
/** How long the server may take to say why the form is silent. */
const ANSWER_MS = 5_000;
/** Before the frame is loaded once more. */
const RETRY_MS = 500;
/** How long the form may take when the shopper has it loaded again. */
const AGAIN_MS = 15_000;

/** A frame on its way to a form. */
export interface Load {
  readonly frame: HTMLIFrameElement;
  readonly url: URL;
  readonly options: MountOptions;
  /** What the shopper reads. */
  locale: string | undefined;
  /** Ends the load. */
  readonly fail: (code: LoadFailureCode) => void;
  /** Whether nobody waits any more: the form has said hello, has failed, or has left the page. */
  over: boolean;
  /** The one more try: it waits for its moment, or its page has been asked for. */
  retry?: "waits" | "made" | undefined;
  /** Takes away what stands in the frame's stead. */
  recover?: () => void;
}

/** What is said of `code`; where the form cannot be used, the shopper's words stand in the frame's stead. */
export function wordsOf(code: CardformErrorCode, load: Load): FailureWords {
  const [why, mayHelp] = FAILURES[code] ?? [code, true];
  const developer = `Cardform: ${why}`;
  console.error(developer);
  const [later, never, tryAgain] = failureTexts(load.locale ?? navigator.language);
  const shopper = mayHelp ? later : never;
  if (LOAD_FAILURES.has(code)) {
    standIn(load, shopper, mayHelp ? tryAgain : null);
  }
  return [developer, shopper];
}

/** The frame has loaded something: finds out why it stays silent, if it does. */
export async function frameHasLoaded(load: Load): Promise<void> {
  const { retry } = load;
  if (retry === "waits") {
    // This page has said itself that it failed.
    return;
  }
  const code = await reasonOf(load);
  // Where it has said so meanwhile, the next page is not judged by this one.
  if (!load.over && load.retry === retry) {
    await failed(load, code);
  }
}

/**
 * The load has failed, of a reason that may not be known: where that may help it is tried once more, by itself, before
 * anybody hears of it. A form that has failed while it was used is not: a card may be under way.
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
 * What the browser does not say of a frame that was refused, the server does; null when it cannot be asked. The page's
 * policy is heard to forbid the frame when it is loaded once more.
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
    // The policy's event comes in a task of its own.
    await wait(0);
    return unaskable.has(url.origin) ? null : "server-unreachable";
  }
  await hello;
  return "script-failed";
}

/** Origins that this page's policy forbids frames of, and calls to. */
const forbidden = new Set<string>();
const unaskable = new Set<string>();

function noteViolation({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void {
  if (URL.canParse(blockedURI)) {
    (effectiveDirective === "connect-src" ? unaskable : forbidden).add(new URL(blockedURI).origin);
  }
}

/** Puts `shopper`, and a button where trying again may help, in the frame's stead. */
function standIn(load: Load, shopper: string, tryAgain: string | null): void {
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
