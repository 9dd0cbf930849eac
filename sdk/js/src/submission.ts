// One submission at a time: from the merchant's `submit()` to its result (docs/form.md#paying).

import type { FromParent } from "../../../form/generated/wire.ts";
import type { CardformErrorCode, SubmitResult } from "./result.ts";

/** What a submission needs from the rest of the SDK. */
export interface SubmitterPorts {
  /** Whether the form last said that it could be submitted; null before it said anything. What it said may be old. */
  isReady(): boolean | null;
  /** Tells the form. */
  post(message: FromParent): void;
  /** Gets the client secret from the merchant; a result when there is none to be had, which has then been told. */
  clientSecret(): Promise<string | SubmitResult>;
  /** Tells the merchant of an error; the result of a submission that failed by it before a card was tried. */
  failed(code: CardformErrorCode): Promise<SubmitResult>;
}

/** Submissions of one form. */
export interface Submitter {
  /** Starts one; while one is under way, answers with the same promise. */
  submit(): Promise<SubmitResult>;
  /** The form has loaded, or has said whether it is ready: one that waited for that goes on. */
  formSpoke(): void;
  /** The form cannot be used; what its failure means for a submission. */
  loadFailed(result: Promise<SubmitResult>): void;
  /** A document has loaded in the frame; a card that was with the one before has no one left to tell its outcome. */
  formLoaded(): void;
  /** The card waits for the shopper: the form answers when the challenge is over, however long it takes. */
  shopperActs(): void;
  /** The form told how a submission stands. */
  answered(result: SubmitResult): void;
  /** The form leaves the page; what is under way is settled. */
  close(): void;
}

/**
 * How long the form may take to answer, in milliseconds. The server gives up on its provider long before, and the
 * form then says that the outcome is unknown; so this passes only if the form itself has died.
 */
export const ANSWER_MS_MAX = 120_000;

/** A form that has not loaded yet, and nothing under way. */
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
   * The form decides whether it is ready: the shopper's last key may be on its way to it, or the next one come before the
   * client secret. A form that did not seem ready asks for the client secret if it is.
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
        // The card was with a form that has died.
        settle({ status: "outcome_unknown" });
      } else if (mine) {
        void result.then((failure) => pending === mine && settle(failure));
      }
    },
    shopperActs() {
      clearTimeout(pending?.timer);
    },
    answered(result) {
      // An answer that comes before the card was sent belongs to a submission that is already over.
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
