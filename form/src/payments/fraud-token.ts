// Loads the fraud prevention's script and gets its token (docs/experiments.md#the-fraud-preventions-script). The
// script cannot stop a charge: if no token comes in time, the charge is sent without one.

import { FRAUD_SCRIPT_POLICY } from "../../generated/fraud-script.ts";
import type { FraudScript } from "../../generated/wire.ts";

/** How long the script may take to give its token. */
export const FRAUD_TOKEN_TIMEOUT_MS = 15_000;
/** The longest token that is accepted: a cookie holds no more. */
const TOKEN_LENGTH_MAX = 3_500;
const TOKEN_EVENT = "ftr:tokenReady";

interface TrustedTypes {
  readonly trustedTypes?: {
    readonly createPolicy: (
      name: string,
      rules: { readonly createScriptURL: (url: string) => string },
    ) => { readonly createScriptURL: (url: string) => string };
  };
}

/**
 * Loads the script. The returned function gives the token: the newest one from the script, or the one in the cookie, or
 * the first to come within 15 seconds from now. It is empty if there is none. Never throws.
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

/** Whether this can be a token: a text that is not too long, without control characters and halves of surrogate pairs. */
export function isToken(detail: unknown): detail is string {
  return (
    typeof detail === "string" &&
    detail !== "" &&
    !/[\p{Cc}\p{Cs}]/u.test(detail) &&
    encodeURIComponent(detail).length <= TOKEN_LENGTH_MAX
  );
}

/** The script's address in the type that the page's policy asks for. No other address can get that type. */
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
  return trustedTypes?.createPolicy(FRAUD_SCRIPT_POLICY, rules).createScriptURL(url) ?? url;
}

/** The token that an earlier page kept; empty if there is none or the browser denies cookies. */
function tokenIn(cookie: string): string {
  try {
    // Read here: sharing this with `kept-values.ts`, which other scripts load, would put it in a file of its own.
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
    // In a frame without storage the token is kept only while the page is open.
  }
}
