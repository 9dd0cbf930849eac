// Handles a form that cannot be used: finds out why, tries once more, and tells the shopper and the developer. It is fetched
// only when something has failed.

import type { Embedding } from "../../../form/generated/wire.ts";
import { failureTexts } from "./failure-texts.ts";
import type { CredentiallessFrame } from "./frame.ts";
import type { Load } from "./load.ts";
import { languageOf } from "./nearest-locale.ts";
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
    "client-secret-unavailable": ["`clientSecret`", true],
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

/** How long the form may take to post its first message after its page has loaded. */
const HELLO_MS = 1_000;
/** How long the server may take to say why the form does not load. */
const ANSWER_MS = 5_000;
/** The pause before the frame is loaded once more. */
const RETRY_MS = 500;
/** How long the form may take to load when the shopper presses "Try again". */
const AGAIN_MS = 15_000;

/**
 * The messages for `code`. If the form cannot be used, the shopper's message replaces the frame. `cause` is what `clientSecret`
 * gave instead of a text, or `{ thrown }`.
 */
export function messagesOf(code: CardformErrorCode, load: Load, cause?: unknown): FailureMessages {
  const [text, mayHelp] = FAILURES[code] ?? [code, true];
  const { origin, pathname } = load.url;
  let why = text.replace("`url`", `\`url\` (${origin})`);
  if (code === "client-secret-unavailable") {
    why += insteadOfSecret(cause);
  } else if (
    code === "server-unreachable" &&
    location.protocol === "https:" &&
    load.url.protocol === "http:"
  ) {
    why += " A page of https cannot show one of http.";
  } else if (code === "payload-refused" && pathname !== "/") {
    why += ` Or \`url\` (${origin}${pathname}) should have no path: Cardform is usually at ${origin}.`;
  } else if (code === "blocked-by-page-policy" && hasEmbedderPolicy) {
    why =
      "this page's Cross-Origin-Embedder-Policy forbids the form's frame, and this browser has no `credentialless` frames. " +
      "Send that header on pages without the form only.";
  }
  const developer = `Cardform: ${why}`;
  console.error(developer);
  const [locale, [later = "", never = "", mayHavePaid = "", tryAgain = ""]] = failureTexts([
    load.options.locale ?? "",
    ...navigator.languages,
  ]);
  const shopper = load.sent ? mayHavePaid : mayHelp ? later : never;
  if (LOAD_FAILURES.has(code)) {
    replaceFrame(load, shopper, mayHelp && !load.sent ? tryAgain : null, locale);
  }
  return [developer, shopper];
}

/** What `clientSecret` did. Of a value it gave only the kind is told, because the value may be secret. */
function insteadOfSecret(cause: unknown): string {
  const keys = typeof cause === "object" && cause ? Object.keys(cause) : [];
  if (keys[0] === "thrown") {
    return ` threw or rejected: ${(cause as { thrown: unknown }).thrown}`;
  }
  const what = cause === "" ? "an empty text" : Object.prototype.toString.call(cause).slice(8, -1);
  const having = keys.length > 0 ? ` with ${keys.join(", ")}` : "";
  const hint = keys.includes("client_secret") ? ": give its `client_secret`" : "";
  return ` gave ${what}${having}, and not the text of the client secret${hint}.`;
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
 * The load has failed, perhaps for an unknown reason. If a second try may help, it is made before the failure is reported. A
 * form that fails while it is used is not loaded again, because a payment may be under way.
 */
export async function failed(load: Load, code: LoadFailureCode | null): Promise<void> {
  const mayHelp = code === null || FAILURES[code]?.[1];
  if (!load.over && !load.retry && mayHelp) {
    load.retry = "waits";
    await wait(RETRY_MS);
    if (!load.over) {
      load.retry = "made";
      if (hasEmbedderPolicy) {
        (load.frame as CredentiallessFrame).credentialless = true;
      }
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
async function reasonOf(load: Load): Promise<LoadFailureCode | null> {
  const { url, options, retry } = load;
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
  if (load.over) {
    return null;
  }
  hasEmbedderPolicy = await asksForEmbedderPolicy();
  return hasEmbedderPolicy && !("credentialless" in HTMLIFrameElement.prototype)
    ? "blocked-by-page-policy"
    : "script-failed";
}

/** Whether this page has a policy that only frames with the same policy, or `credentialless` ones, satisfy. */
let hasEmbedderPolicy = false;

/** No property of the page tells its policy, so its headers are fetched. */
async function asksForEmbedderPolicy(): Promise<boolean> {
  try {
    const page = await fetch(location.href, { method: "HEAD", signal: AbortSignal.timeout(ANSWER_MS) });
    return /require-corp|credentialless/.test(page.headers.get("cross-origin-embedder-policy") ?? "");
  } catch {
    return false;
  }
}

/** Origins of which this page's policy forbids frames, and origins to which it forbids calls. */
const forbidden = new Set<string>();
const unaskable = new Set<string>();

function noteViolation({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void {
  if (URL.canParse(blockedURI)) {
    (effectiveDirective === "connect-src" ? unaskable : forbidden).add(new URL(blockedURI).origin);
  }
}

/** Replaces the frame with the shopper's message in the language of `locale` and, if trying again may help, a button. */
function replaceFrame(load: Load, shopper: string, tryAgain: string | null, locale: string): void {
  const { frame } = load;
  load.recover?.();
  const box = document.createElement("div");
  box.setAttribute("role", "alert");
  box.lang = languageOf(locale);
  box.dir = locale.startsWith("ar") ? "rtl" : "ltr";
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
      clearTimeout(load.again);
      load.again = setTimeout(() => load.over || load.fail("load-timeout"), AGAIN_MS);
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
