// Handles one submission at a time, from the merchant's `submit()` to its result (docs/form.md#paying).

import type { FromParent } from "../../../form/generated/wire.ts";
import type { CardformErrorCode, SubmitResult } from "./result.ts";

/** What a submission needs from the rest of the SDK. */
export interface SubmitterPorts {
  /** Whether the form last said that it is ready; null before it has said anything. It may have changed since. */
  isReady(): boolean | null;
  /** Posts a message to the form. */
  post(message: FromParent): void;
  /** Gets the client secret from the merchant. If there is none, a result; the merchant has then been told. */
  clientSecret(): Promise<string | SubmitResult>;
  /** Tells the merchant about an error, and returns the result of a submission that fails with it. */
  failed(code: CardformErrorCode): Promise<SubmitResult>;
}

/** Submits one form. */
export interface Submitter {
  /** Starts a submission. While one is under way it returns the same promise. */
  submit(): Promise<SubmitResult>;
  /** The form has said whether it is ready: a submission that waits for that goes on. */
  formSpoke(): void;
  /** The form cannot be used; `result` is the result of submissions. */
  loadFailed(result: Promise<SubmitResult>): void;
  /** The form has loaded. If it has loaded again, the outcome of a payment that was sent before is unknown. */
  formLoaded(): void;
  /** The shopper must pass a challenge: the form answers when it is over, however long it takes. */
  shopperActs(): void;
  /** The form has told the result of a submission. */
  answered(result: SubmitResult): void;
  /** The form is removed; a submission under way ends. */
  close(): void;
}

/**
 * How long the form may take to answer, in milliseconds. The server stops waiting for its provider long before, and then
 * the form says that the outcome is unknown. So this time passes only if the form itself has stopped working.
 */
export const ANSWER_MS_MAX = 120_000;

/** For a form that has not loaded yet. */
export function createSubmitter(ports: SubmitterPorts): Submitter {
  let load: "loading" | "loaded" | "closed" | Promise<SubmitResult> = "loading";
  let pending: Pending | null = null;

  function settle(result: SubmitResult): void {
    clearTimeout(pending?.timer);
    pending?.resolve(result);
    pending = null;
  }

  function proceed(): void {
    if (pending?.phase === "waiting" && load === "loaded" && ports.isReady() !== null) {
      void send(pending);
    }
  }

  /**
   * The form decides whether it is ready: the shopper may press a key before the message arrives. A form that was not ready
   * and is now asks for the client secret itself.
   */
  async function send(mine: Pending): Promise<void> {
    mine.phase = "fetching";
    const clientSecret = ports.isReady() ? await ports.clientSecret() : "";
    if (pending !== mine) {
      return;
    }
    if (typeof clientSecret === "object") {
      settle(clientSecret);
    } else {
      mine.phase = "sent";
      mine.timer = setTimeout(() => {
        void ports.failed("submit-timeout");
        settle({ status: "outcome_unknown" });
      }, ANSWER_MS_MAX);
      ports.post({ type: "submit-ready", client_secret: clientSecret || null });
    }
  }

  return {
    submit() {
      if (pending) {
        return pending.promise;
      }
      if (load === "closed") {
        return Promise.resolve({ status: "not-ready" });
      }
      if (typeof load === "object") {
        return load;
      }
      pending = createPending();
      const { promise } = pending;
      proceed();
      return promise;
    },
    formSpoke: proceed,
    formLoaded() {
      load = "loaded";
      if (pending?.phase === "sent") {
        settle({ status: "outcome_unknown" });
      }
      proceed();
    },
    loadFailed(result) {
      load = result;
      const mine = pending;
      if (mine?.phase === "sent") {
        // The form that had the card has stopped working.
        settle({ status: "outcome_unknown" });
      } else if (mine) {
        void result.then((failure) => pending === mine && settle(failure));
      }
    },
    shopperActs() {
      clearTimeout(pending?.timer);
    },
    answered(result) {
      // An answer before the card was sent belongs to an earlier submission.
      if (pending?.phase === "sent") {
        settle(result);
      }
    },
    close() {
      load = "closed";
      settle(pending?.phase === "sent" ? { status: "outcome_unknown" } : { status: "not-ready" });
    },
  };
}

interface Pending {
  /** Waiting for the form, for the client secret, or for the form's answer. */
  phase: "waiting" | "fetching" | "sent";
  readonly promise: Promise<SubmitResult>;
  readonly resolve: (result: SubmitResult) => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

function createPending(): Pending {
  let resolve: (result: SubmitResult) => void = () => {};
  const promise = new Promise<SubmitResult>((settle) => {
    resolve = settle;
  });
  return { phase: "waiting", promise, resolve, timer: undefined };
}
