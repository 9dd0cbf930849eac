// Presses the pay button, answers the bank, and tells how it ended.

import { type FormDriver, isVisible, TIMEOUT_MS, until, within } from "./driver.ts";
import { driverOf, type PlaywrightPage } from "./playwright.ts";

/** The result that the page knows. */
export interface PaymentResult {
  /** `challenge`: the bank asks the shopper to confirm; call `challenge()`. The rest is as the SDK's `submit()` has it. */
  readonly status: "succeeded" | "failed" | "not-ready" | "processing" | "outcome_unknown" | "challenge";
  /** The shopper's message, if the payment failed. */
  readonly message?: string;
  /** Why the card was declined. The payment page does not tell. */
  readonly declineCode?: string;
  /** Why no card was tried. The payment page does not tell. */
  readonly errorCode?: string;
}

/** The pay button, and how long to wait for the result. */
export interface PayOptions {
  /** The CSS selector of your pay button. Default: `#pay`, which is the button of Cardform's payment page. */
  readonly button?: string;
  /** How long the payment may take, in milliseconds. Default: 30 000. */
  readonly timeoutMs?: number;
}

/** The shopper's answer at the bank. */
export type ChallengeAnswer = "pass" | "fail" | "cancel";

/** The property of the page's window that keeps the result. */
const SEEN = "__cardformTesting";

/**
 * Starts to watch for the result: in a merchant's page the form's messages, on the payment page its elements. An earlier
 * result is forgotten. The payment page may still show the failure of the last try, so it counts only once the button has
 * been busy.
 */
const WATCH = `(() => {
  window.${SEEN}?.stop();
  const over = new AbortController();
  const seen = { result: null, stop: () => { over.abort(); observer.disconnect(); } };
  window.${SEEN} = seen;
  const set = (result) => { seen.result = result; };
  window.addEventListener("message", ({ data }) => {
    if (data?.source !== "cardform") return;
    if (data.type === "processing-result") {
      const errorCode = data.error_code;
      set(data.success ? { status: "succeeded" }
        : data.status === "outcome_unknown" ? { status: data.status, errorCode }
        : data.not_ready ? { status: "not-ready" }
        : { status: "failed", message: data.message, declineCode: data.decline_code, errorCode });
    } else if (data.type === "charge-changed" && (data.status === "processing" || data.status === "outcome_unknown")) {
      set({ status: data.status });
    }
  }, { signal: over.signal });
  let wasBusy = false;
  const look = () => {
    const button = document.getElementById("pay");
    wasBusy ||= button?.getAttribute("aria-disabled") === "true";
    const outcome = document.querySelector("#outcome[data-status]");
    const status = outcome?.getAttribute("data-status");
    if (wasBusy && outcome && status !== "waiting_for_shopper_action") {
      set(status === "failed" ? { status, message: outcome.textContent } : { status });
    } else if (!wasBusy && button?.dataset.ready === "false" && document.querySelector("[data-error-id]:not([data-error-id=''])")) {
      set({ status: "not-ready" });
    }
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, attributes: true });
  return true;
})()`;

/** Drops the current result, and continues to watch. */
const FORGET = `(() => { if (window.${SEEN}) window.${SEEN}.result = null; return window.${SEEN} !== undefined; })()`;

const RESULT = `(window.${SEEN} ? window.${SEEN}.result : null)`;

/** The bank's page, in the dialog of the SDK or of the payment page. The shop may have a form in a dialog of its own. */
const BANK_FRAME = "> iframe[sandbox]";
const BANK = { frames: [`dialog ${BANK_FRAME}`], selector: "#approve" };

/** The element to click. The dialog's first button closes it. */
const ANSWERS = {
  pass: BANK,
  fail: { ...BANK, selector: "#reject" },
  cancel: { frames: [], selector: `dialog:has(${BANK_FRAME}) button` },
} as const;

/**
 * Presses the pay button of `page`, and waits until the payment has ended or the bank asks the shopper to confirm.
 * The result is only the page's view. Ask your server whether the charge is paid.
 */
export async function pay(
  page: PlaywrightPage | FormDriver,
  { button = "#pay", timeoutMs = TIMEOUT_MS }: PayOptions = {},
): Promise<PaymentResult> {
  const driver = driverOf(page);
  const address = { frames: [], selector: button };
  await until(
    async () => ((await isVisible(driver, address)) ? true : undefined),
    timeoutMs,
    `the pay button ${button}`,
  );
  await driver.evaluate(WATCH);
  await within(driver.click(address), timeoutMs, () => `the pay button ${button} could not be pressed`);
  const result = resultOf(driver);
  return until(
    async () => ((await isVisible(driver, BANK)) ? { status: "challenge" } : result()),
    timeoutMs,
    "the result of the payment",
  );
}

/**
 * Answers the bank's question, as the simulator's bank asks it, and waits until the payment has ended. Call it after
 * `pay()` has returned `challenge`.
 */
export async function challenge(
  page: PlaywrightPage | FormDriver,
  answer: ChallengeAnswer,
  { timeoutMs = TIMEOUT_MS }: Pick<PayOptions, "timeoutMs"> = {},
): Promise<PaymentResult> {
  const driver = driverOf(page);
  await until(
    async () => ((await isVisible(driver, BANK)) ? true : undefined),
    timeoutMs,
    "the bank's question",
  );
  if ((await driver.evaluate(FORGET)) !== true) {
    await driver.evaluate(WATCH);
  }
  await within(driver.click(ANSWERS[answer]), timeoutMs, () => "the bank could not be answered");
  return until(resultOf(driver), timeoutMs, "the result of the payment");
}

/** How long a payment may stay `processing` or `outcome_unknown` before that counts as its result, in milliseconds. */
const UNDECIDED_MS = 3_000;

/** A function that reads the result of the payment, if there is one. */
function resultOf(driver: FormDriver): () => Promise<PaymentResult | undefined> {
  let undecidedSince: number | undefined;
  return async () => {
    const result = (await driver.evaluate(RESULT)) as PaymentResult | null;
    if (result?.status === "processing" || result?.status === "outcome_unknown") {
      undecidedSince ??= Date.now();
      return Date.now() - undecidedSince < UNDECIDED_MS ? undefined : result;
    }
    return result ?? undefined;
  };
}
