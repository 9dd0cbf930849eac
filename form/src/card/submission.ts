// Paying: from the pay button to the outcome (docs/form.md#paying).

import type { Decline } from "../../generated/declines.ts";
import { FIELD_OF_REQUEST } from "../../generated/rules.ts";
import type { ChargeStatus, ErrorCode, ShopperAction, ShopperCharge } from "../../generated/wire.ts";
import type { Month } from "./expiry.ts";
import type { FieldName } from "./field.ts";
import { showWhatIsMissing, withFieldError } from "./form-fields.ts";
import {
  askedFields,
  type ChargeAnswer,
  type Failure,
  type FailureMessageKey,
  type FormConfig,
  type FormState,
  type Step,
  stay,
} from "./form-state.ts";
import { withoutUnavailableCard } from "./saved-cards.ts";

/** Sends the charge, or first asks for the client secret. */
export function submit(state: FormState, clientSecret: string | null): Step {
  if (clientSecret === null) {
    return {
      state: { ...state, submission: { phase: "awaiting-client-secret" }, failure: null },
      effects: [{ type: "request-client-secret" }],
    };
  }
  return {
    state: { ...state, submission: { phase: "charging", clientSecret }, failure: null },
    effects: [{ type: "charge", clientSecret }],
  };
}

/**
 * The parent wants to pay and the form is not ready. The form shows what is missing and tells the parent, which waits
 * for an answer. If a payment is under way the answer comes when it ends. A closed form tells again how it ended.
 */
export function submitUnready(config: FormConfig, before: FormState, today: Month): Step {
  const { state, effects } = showWhatIsMissing(config, before, today);
  const { submission } = state;
  if (submission.phase !== "open" && submission.phase !== "closed") {
    return { state, effects };
  }
  const isPaid = submission.phase === "closed" && submission.status === "succeeded";
  const why = state.failure ?? { messageKey: whyUnready(config, state), declineCode: null };
  const failure = isPaid ? null : why;
  const isOpen = submission.phase === "open";
  return {
    state,
    effects: [...effects, { type: "post-result", failure, ...(isOpen && { notReady: true }) }],
  };
}

/** The error of the first field that has one. If no field is required, there is no saved card to pay with. */
function whyUnready(config: FormConfig, state: FormState): FailureMessageKey {
  if (state.submission.phase === "closed" || state.saved.list === "loading") {
    return "processing_error";
  }
  const errors = askedFields(config, state).map((name) => state.fields[name].errorId);
  return errors.find((errorId) => errorId !== null) ?? "card_unavailable";
}

/** The server answered the direct charge. */
export function answered(config: FormConfig, state: FormState, answer: ChargeAnswer): Step {
  switch (answer.kind) {
    case "taken":
      return settled(config, state, answer.status, answer.shopperAction, null);
    case "declined":
      return declined(config, state, answer.declineCode, answer.decline);
    case "refused":
      return refused(config, state, answer);
    case "unanswered":
      return settled(config, state, "outcome_unknown", null, null);
    case "unsent":
      return failed(state, { messageKey: "offline", declineCode: null, errorCode: "offline" });
  }
}

/**
 * The server told where the charge stands. This counts while the outcome is awaited, and before anything was sent (the
 * page was opened again). While the outcome is awaited, `created` is old news: it was true before the card was sent.
 */
export function seen(
  config: FormConfig,
  state: FormState,
  charge: ShopperCharge,
  decline: Decline | undefined,
): Step {
  const { phase } = state.submission;
  const payable = charge.status === "created" || charge.status === "failed";
  const counts = (phase === "settling" && charge.status !== "created") || (phase === "open" && !payable);
  return counts
    ? settled(config, state, charge.status, charge.shopper_action, charge.decline_code, decline)
    : stay(state);
}

function settled(
  config: FormConfig,
  state: FormState,
  status: ChargeStatus,
  shopperAction: ShopperAction | null,
  declineCode: string | null,
  decline?: Decline,
): Step {
  switch (status) {
    case "succeeded": {
      const paidHere = state.submission.phase !== "open";
      return {
        state: {
          ...state,
          submission: { phase: "closed", status, ...(paidHere && { paidHere }) },
          failure: null,
        },
        effects: [{ type: "post-result", failure: null }],
      };
    }
    case "created":
    case "failed":
      return declined(config, state, declineCode ?? "processing_error", decline);
    case "canceled":
      return closed(state, status, CANCELED);
    case "expired":
      return closed(state, status, EXPIRED);
    case "processing":
    case "outcome_unknown":
    case "waiting_for_shopper_action": {
      const { submission } = state;
      if (submission.phase === "settling" && submission.status === status) {
        return stay(state);
      }
      const alreadyWatching = submission.phase === "settling";
      return {
        state: { ...state, submission: { phase: "settling", status, shopperAction } },
        effects: [
          { type: "post", message: { type: "charge-changed", status, shopper_action: shopperAction } },
          ...(alreadyWatching ? [] : [{ type: "watch-charge" } as const]),
        ],
      };
    }
  }
}

/** The request itself was lost, not its answer: no card was tried. */
export function neverArrived(state: FormState): Step {
  return state.submission.phase === "settling"
    ? failed(state, {
        messageKey: "payment_not_made",
        declineCode: null,
        errorCode: "connection-lost",
      })
    : stay(state);
}

const CANCELED: Failure = {
  messageKey: "charge_canceled",
  declineCode: null,
  errorCode: "charge-canceled",
};
const EXPIRED: Failure = { messageKey: "charge_expired", declineCode: null, errorCode: "charge-expired" };

/** The form is finished without a payment, and `failure` says why. */
function closed(state: FormState, status: "canceled" | "expired" | "unusable_link", failure: Failure): Step {
  return {
    state: { ...state, submission: { phase: "closed", status }, failure },
    effects: [{ type: "post-result", failure }],
  };
}

/** The failure for each error about the client secret. */
const SECRET_FAILURES: Readonly<Partial<Record<ErrorCode, Failure>>> = {
  client_secret_expired: {
    messageKey: "secret_expired",
    declineCode: null,
    errorCode: "client-secret-expired",
  },
  client_secret_invalid: {
    messageKey: "secret_invalid",
    declineCode: null,
    errorCode: "client-secret-invalid",
  },
  charge_mismatch: { messageKey: "secret_foreign", declineCode: null, errorCode: "client-secret-foreign" },
  partner_mismatch: { messageKey: "secret_foreign", declineCode: null, errorCode: "client-secret-foreign" },
  charge_not_found: { messageKey: "secret_invalid", declineCode: null, errorCode: "client-secret-invalid" },
};

/** The page's only client secret is not accepted: the form closes before the shopper types a card for nothing. */
export function lookRefused(config: FormConfig, state: FormState, code: ErrorCode): Step {
  const failure = SECRET_FAILURES[code];
  return failure && config.secretInAddress && state.submission.phase === "open"
    ? closed(state, "unusable_link", failure)
    : stay(state);
}

/** Says what to do next, and marks the field that the decline is about. The number is kept (docs/form.md#declines). */
function declined(
  config: FormConfig,
  state: FormState,
  declineCode: string,
  decline: Decline | undefined,
): Step {
  const { nextStep = "processing_error", field, errorId } = decline ?? {};
  const step = failed(state, { messageKey: nextStep, declineCode });
  return field && errorId ? withFieldError(config, step, shownField(state, field), errorId) : step;
}

/** The field on the page: the security code may be the saved card's. */
function shownField({ method }: FormState, field: FieldName) {
  return method === "saved" && field === "security" ? "savedSecurity" : field;
}

const SECONDS_PER_MINUTE = 60;

/** The server refused the charge. Its rules can differ from the page's, for example if the shopper's clock is wrong. */
function refused(
  config: FormConfig,
  state: FormState,
  answer: Extract<ChargeAnswer, { kind: "refused" }>,
): Step {
  const secretFailure = SECRET_FAILURES[answer.code];
  if (secretFailure) {
    return config.secretInAddress
      ? closed(state, "unusable_link", secretFailure)
      : failed(state, secretFailure);
  }
  if (answer.code === "payment_method_not_found" && state.method === "saved") {
    const step = failed(state, {
      messageKey: "card_unavailable",
      declineCode: null,
      errorCode: "payment-method-not-found",
    });
    return {
      state: withoutUnavailableCard(step.state),
      effects: [...step.effects, { type: "focus-method" }],
    };
  }
  if (answer.code === "too_many_requests" && answer.retryAfterSeconds !== undefined) {
    const minutes = Math.ceil(answer.retryAfterSeconds / SECONDS_PER_MINUTE);
    return failed(state, {
      messageKey: "too_many_tries",
      declineCode: null,
      errorCode: "too-many-tries",
      values: { minutes },
    });
  }
  const field = answer.field === undefined ? undefined : FIELD_OF_REQUEST[answer.field];
  const step = failed(state, {
    messageKey: "processing_error",
    declineCode: null,
    ...(answer.reason ? {} : { errorCode: "request-refused" }),
  });
  return field && answer.reason
    ? withFieldError(config, step, shownField(state, field), answer.reason)
    : step;
}

/** Not paid: the form opens again and says why. */
export function failed(state: FormState, failure: Failure): Step {
  return {
    state: { ...state, submission: { phase: "open" }, failure },
    effects: [{ type: "post-result", failure }],
  };
}

/** The shopper came back from the challenge. The server is asked how it ended. */
export function challengeReturned(state: FormState): Step {
  const { submission } = state;
  if (submission.phase !== "settling" || submission.shopperAction === null) {
    return stay(state);
  }
  return {
    state: { ...state, submission: { ...submission, shopperAction: null } },
    effects: [{ type: "look-at-charge" }],
  };
}

/**
 * The shopper closed the challenge. Nobody may pay again before the server has canceled it, or has found that the bank
 * approved the payment anyway.
 */
export function challengeClosed(state: FormState): Step {
  const { submission } = state;
  if (submission.phase !== "settling" || submission.shopperAction === null) {
    return stay(state);
  }
  return {
    state: { ...state, submission: { ...submission, shopperAction: null } },
    effects: [{ type: "cancel-challenge" }],
  };
}
