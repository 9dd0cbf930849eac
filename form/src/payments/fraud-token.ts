// The fraud prevention's script and its token (docs/experiments.md#the-fraud-preventions-script). Whatever
// the script does, a charge goes on: without a token, when none comes in time.

import type { FraudScript } from "../../generated/wire.ts";

/** How long the script may take to tell its token. */
export const FRAUD_TOKEN_TIMEOUT_MS = 15_000;
/** The longest token that is taken: a cookie holds no more. */
const TOKEN_LENGTH_MAX = 3_500;
const TOKEN_EVENT = "ftr:tokenReady";
/** The one policy of Trusted Types that the page's own policy allows; `crates/page/src/policy.rs` names it. */
const TYPES_POLICY = "cardform-fraud-script";

/** Browsers that check types at the places where code comes in. */
interface TrustedTypes {
  readonly trustedTypes?: {
    readonly createPolicy: (
      name: string,
      rules: { readonly createScriptURL: (url: string) => string },
    ) => { readonly createScriptURL: (url: string) => string };
  };
}

/**
 * Loads the script. The answer tells the token when it is asked for: the newest that the script has told, or the one that
 * the cookie kept, or the first to come within 15 seconds from now; the empty text without any. Never throws.
 */
export function loadFraudScript({ url, cookie, cookie_attributes }: FraudScript): () => Promise<string> {
  let token = tokenIn(cookie);
  const first = new Promise<void>((resolve) => {
    setTimeout(resolve, FRAUD_TOKEN_TIMEOUT_MS);
    document.addEventListener(TOKEN_EVENT, (event) => {
      const { detail } = event as CustomEvent<unknown>;
      if (isToken(detail)) {
        token = detail;
        keep(`${cookie}=${encodeURIComponent(detail)}; ${cookie_attributes}`);
        resolve();
      }
    });
    try {
      const script = document.createElement("script");
      script.async = true;
      script.src = scriptUrl(url);
      script.addEventListener("error", () => resolve());
      document.head.append(script);
    } catch {
      resolve();
    }
  });
  return async () => {
    if (token === "") {
      await first;
    }
    return token;
  };
}

/** Whether a script can have meant this as a token: some text, not too long, without control characters. */
export function isToken(detail: unknown): detail is string {
  if (typeof detail !== "string" || detail === "" || /\p{Cc}/u.test(detail)) {
    return false;
  }
  try {
    return encodeURIComponent(detail).length <= TOKEN_LENGTH_MAX;
  } catch {
    // Half a character, which no text has.
    return false;
  }
}

/** The address of the script, and of no other, as the page's policy wants it. */
function scriptUrl(url: string): string {
  const { trustedTypes } = window as TrustedTypes;
  const rules = {
    createScriptURL: (asked: string) => {
      if (asked !== url) {
        throw new TypeError("only the fraud prevention's script is loaded");
      }
      return asked;
    },
  };
  return trustedTypes?.createPolicy(TYPES_POLICY, rules).createScriptURL(url) ?? url;
}

/** The token that an earlier page kept; the empty text without one, and where the browser denies cookies. */
function tokenIn(cookie: string): string {
  try {
    const pairs = document.cookie.split("; ");
    const kept = pairs.find((pair) => pair.startsWith(`${cookie}=`))?.slice(cookie.length + 1) ?? "";
    const token = decodeURIComponent(kept);
    return isToken(token) ? token : "";
  } catch {
    return "";
  }
}

function keep(cookie: string): void {
  try {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that pays.
    document.cookie = cookie;
  } catch {
    // A frame without storage: the token lasts as long as the page.
  }
}
