// Handles one submission at a time, from the merchant's `submit()` to its result (docs/form.md#paying).

import type { Load } from "./load.ts";
import type { CardformErrorCode, SubmitResult } from "./result.ts";

/**
 * How long the form may take to answer, in milliseconds. The server stops waiting for its provider long before, and then
 * the form says that the outcome is unknown. So this time passes only if the form itself has stopped working.
 */
export const ANSWER_MS_MAX = 120_000;
/** The same while a challenge is shown: eleven days, because the service ends every challenge. */
export const CHALLENGE_MS_MAX = 1e9;

// Numbers, because the script is minified: texts would stay. The form's load:
const LOADING = 0;
const LOADED = 1;
const CLOSED = 2;
// A submission waits for the form, for the client secret, or for the form's answer.
const WAITING = 0;
const FETCHING = 1;
const SENT = 2;

/**
 * Submits one form, which has not loaded yet.
 *
 * @param isReady - Whether the form last said that it is ready; null before it has said anything. It may have changed since.
 * @param form - The form on the page. It gets the messages, and is marked once it may have sent a card.
 * @param fetchSecret - Gets the client secret from the merchant. If there is none, a result; the merchant has then been told.
 * @param tell - Tells the merchant about an error.
 */
export function createSubmitter(
  isReady: () => boolean | null,
  form: Pick<Load, "post" | "sent">,
  fetchSecret: () => Promise<string | SubmitResult>,
  tell: (code: CardformErrorCode) => unknown,
) {
  let load: typeof LOADING | typeof LOADED | typeof CLOSED | Promise<SubmitResult> = LOADING;
  let pending: Pending | null = null;

  function settle(result: SubmitResult): void {
    clearTimeout(pending?.timer);
    pending?.tellOutcome(result);
    pending = null;
  }

  function proceed(): void {
    if (pending?.phase === WAITING && load === LOADED && isReady() !== null) {
      void send(pending);
    }
  }

  /** The form must answer in time, or the outcome is unknown. */
  function limit(ms: number = ANSWER_MS_MAX): void {
    clearTimeout(pending?.timer);
    if (pending?.phase === SENT) {
      pending.timer = setTimeout(() => {
        tell("submit-timeout");
        settle({ status: "outcome_unknown" });
      }, ms);
    }
  }

  /**
   * The form decides whether it is ready: the shopper may press a key before the message arrives. A form that was not ready
   * and is now asks for the client secret itself.
   */
  async function send(mine: Pending): Promise<void> {
    mine.phase = FETCHING;
    const clientSecret = isReady() ? await fetchSecret() : "";
    if (pending !== mine) {
      return;
    }
    if (typeof clientSecret === "object") {
      settle(clientSecret);
    } else {
      mine.phase = SENT;
      limit();
      form.sent = true;
      form.post({ type: "submit-ready", client_secret: clientSecret || null });
    }
  }

  return {
    /** Starts a submission. While one is under way it returns the same promise. */
    submit(): Promise<SubmitResult> {
      if (pending) {
        return pending.outcome;
      }
      if (load === CLOSED) {
        return Promise.resolve({ status: "not-ready" });
      }
      if (typeof load === "object") {
        return load;
      }
      let tellOutcome: Pending["tellOutcome"] = () => {};
      const outcome = new Promise<SubmitResult>((settled) => {
        tellOutcome = settled;
      });
      pending = { phase: WAITING, outcome, tellOutcome };
      proceed();
      return outcome;
    },
    /** The form has said whether it is ready: a submission that waits for that continues. */
    formSpoke: proceed,
    /** The form has loaded. If it has loaded again, the outcome of a payment that was sent before is unknown. */
    formLoaded() {
      load = LOADED;
      if (pending?.phase === SENT) {
        settle({ status: "outcome_unknown" });
      }
      proceed();
    },
    /** The form cannot be used; `result` is the result of submissions. */
    loadFailed(result: Promise<SubmitResult>) {
      load = result;
      const mine = pending;
      if (mine?.phase === SENT) {
        // The form that had the card has stopped working.
        settle({ status: "outcome_unknown" });
      } else if (mine) {
        void result.then((failure) => pending === mine && settle(failure));
      }
    },
    /** The shopper must pass a challenge: the form answers soon after it, however long it takes. */
    limit,
    /** The form has told the result of a submission. */
    answered(result: SubmitResult) {
      // An answer before the card was sent belongs to an earlier submission.
      if (pending?.phase === SENT) {
        settle(result);
      }
    },
    /** The form is removed; a submission under way ends. */
    close() {
      load = CLOSED;
      settle(pending?.phase === SENT ? { status: "outcome_unknown" } : { status: "not-ready" });
    },
  };
}

interface Pending {
  /** Waiting for the form, for the client secret, or for the form's answer. */
  phase: typeof WAITING | typeof FETCHING | typeof SENT;
  readonly outcome: Promise<SubmitResult>;
  readonly tellOutcome: (result: SubmitResult) => void;
  timer?: ReturnType<typeof setTimeout>;
}
