// Paying: from the service's answer to the outcome (docs/form.md#paying). It is fetched with the late views, because no answer
// comes before.

import type { Decline } from "../../generated/declines.ts";
import { FIELD_OF_REQUEST } from "../../generated/request-fields.ts";
import type { ErrorId } from "../../generated/rules.ts";
import type { ChargeStatus, ErrorCode, ShopperAction, ShopperCharge } from "../../generated/wire.ts";
import type { Field, FieldName } from "./field.ts";
import { withSavedFieldsCleared } from "./form-fields.ts";
import {
  askedFields,
  type ChargeAnswer,
  type Failure,
  type FormConfig,
  type FormEvent,
  type FormState,
  fieldAction,
  ruleOf,
  type Step,
  stay,
} from "./form-state.ts";
import { ended, failed } from "./submission.ts";

/** The form after an event that an answer of the service, or the challenge, causes. */
export function afterAnswer(config: FormConfig, state: FormState, event: FormEvent): Step | null {
  switch (event.type) {
    case "never-arrived":
      return neverArrived(state);
    case "look-refused":
      return lookRefused(config, state, event.code);
    case "charge-answered":
      // `form.ts` has the step after "unsent".
      return event.answer.kind === "unsent" ? null : answered(config, state, event.answer);
    case "challenge-returned":
      return challengeOver(state, "look-at-charge");
    case "challenge-closed":
      return challengeOver(state, "cancel-challenge");
    case "charge-seen": {
      const step = seen(config, state, event.charge, event.decline);
      const { phase } = state.submission;
      const isWanted = phase === "open" || (phase === "closed" && state.charge === null);
      // While a payment is under way, an answer that changes nothing is dropped.
      return step.state === state && !isWanted
        ? step
        : { ...step, state: { ...step.state, charge: event.charge } };
    }
    default:
      return null;
  }
}

function answered(
  config: FormConfig,
  state: FormState,
  answer: Exclude<ChargeAnswer, { kind: "unsent" }>,
): Step {
  switch (answer.kind) {
    case "taken":
      return settled(config, state, answer.status, answer.shopperAction, null);
    case "declined":
      return declined(config, state, answer.declineCode, answer.decline);
    case "refused":
      return refused(config, state, answer);
    case "unanswered":
      return settled(config, state, "outcome_unknown", null, null);
  }
}

/**
 * The server told where the charge stands. This counts while the outcome is awaited, and before anything was sent (the
 * page was opened again). While the outcome is awaited, `created` is old news: it was true before the card was sent.
 */
function seen(config: FormConfig, state: FormState, charge: ShopperCharge, decline?: Decline): Step {
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
    case "succeeded":
    case "authorized": {
      const paidHere = state.submission.phase !== "open";
      return ended(state, { phase: "closed", status, ...(paidHere && { paidHere }) }, null);
    }
    case "created":
    case "failed":
      return declined(config, state, declineCode ?? "processing_error", decline);
    case "canceled":
      return closed(state, status, { messageKey: "charge_canceled", errorCode: "charge-canceled" });
    case "expired":
      return closed(state, status, { messageKey: "charge_expired", errorCode: "charge-expired" });
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

/** Nothing was sent, or the request itself was lost, not its answer: no card was tried. */
function neverArrived(state: FormState): Step {
  return state.submission.phase === "settling" || state.submission.phase === "charging"
    ? failed(state, { messageKey: "payment_not_made", errorCode: "connection-lost" })
    : stay(state);
}

const SECRET_INVALID: Failure = { messageKey: "secret_invalid", errorCode: "client-secret-invalid" };
const SECRET_FOREIGN: Failure = { messageKey: "secret_foreign", errorCode: "client-secret-foreign" };

const SECRET_FAILURES: Readonly<Partial<Record<ErrorCode, Failure>>> = {
  client_secret_expired: { messageKey: "secret_expired", errorCode: "client-secret-expired" },
  client_secret_invalid: SECRET_INVALID,
  charge_not_found: SECRET_INVALID,
  charge_mismatch: SECRET_FOREIGN,
  partner_mismatch: SECRET_FOREIGN,
};

/** The form is finished without a payment, and `failure` says why. */
function closed(state: FormState, status: "canceled" | "expired" | "unusable_link", failure: Failure): Step {
  return ended(state, { phase: "closed", status }, failure);
}

/**
 * The client secret is not accepted. Before anything was sent, the payment page closes, so that the shopper types no card for
 * nothing. Later the card may have been charged: the parent learns that the form cannot find out.
 */
function lookRefused(config: FormConfig, state: FormState, code: ErrorCode): Step {
  const failure = SECRET_FAILURES[code];
  const { submission } = state;
  if (failure && submission.phase === "settling" && !submission.refused) {
    const unknown: Failure = { ...failure, messageKey: "outcome_checking_text" };
    return {
      state: { ...state, submission: { ...submission, refused: true } },
      effects: [{ type: "post-result", failure: unknown }],
    };
  }
  return failure && config.secretInAddress && state.submission.phase === "open"
    ? closed(state, "unusable_link", failure)
    : stay(state);
}

/** Says what to do next, and marks the field that the decline is about. The number is kept (docs/form.md#declines). */
function declined(config: FormConfig, state: FormState, declineCode: string, decline?: Decline): Step {
  const { nextStep = "processing_error", field, errorId } = decline ?? {};
  return withFieldError(config, failed(state, { messageKey: nextStep, declineCode }), field, errorId);
}

const SECONDS_PER_MINUTE = 60;

type RefusedAnswer = Extract<ChargeAnswer, { kind: "refused" }>;

/** The server refused the charge. Its rules can differ from the page's, for example if the shopper's clock is wrong. */
function refused(config: FormConfig, state: FormState, answer: RefusedAnswer): Step {
  const secretFailure = SECRET_FAILURES[answer.code];
  if (secretFailure) {
    return config.secretInAddress
      ? closed(state, "unusable_link", secretFailure)
      : failed(state, secretFailure);
  }
  if (answer.code === "payment_method_not_found" && state.method === "saved") {
    const step = failed(withoutUnavailableCard(state), {
      messageKey: "card_unavailable",
      errorCode: "payment-method-not-found",
    });
    return { ...step, effects: [...step.effects, { type: "focus-method" }] };
  }
  if (answer.code === "too_many_requests" && answer.retryAfterSeconds !== undefined) {
    const minutes = Math.ceil(answer.retryAfterSeconds / SECONDS_PER_MINUTE);
    return failed(state, {
      messageKey: "too_many_tries",
      errorCode: "too-many-tries",
      values: { minutes },
    });
  }
  const { field = "", reason } = answer;
  const step = failed(answer.code === "network_unavailable" ? withoutNetworks(state) : state, {
    messageKey: "processing_error",
    ...(reason ? {} : { errorCode: "request-refused" }),
  });
  return withFieldError(config, step, FIELD_OF_REQUEST[field], reason);
}

/**
 * The challenge is no longer shown, and `effect` asks the server: how it ended, or to cancel it. After a cancellation the
 * form stays disabled until the server has canceled the payment, or has found that the bank approved it anyway.
 */
function challengeOver(state: FormState, effect: "look-at-charge" | "cancel-challenge"): Step {
  const { submission } = state;
  if (submission.phase !== "settling" || submission.shopperAction === null) {
    return stay(state);
  }
  return {
    state: { ...state, submission: { ...submission, shopperAction: null } },
    effects: [{ type: effect }],
  };
}

/** The server's file has other networks than before: the shopper pays without a choice. */
function withoutNetworks(state: FormState): FormState {
  const cards = state.saved.cards.map(({ networks: _, ...card }) => card);
  return { ...state, networks: {}, saved: { ...state.saved, cards } };
}

/** The server no longer has the selected card: it leaves the list, and the form of a new card is shown. */
function withoutUnavailableCard(state: FormState): FormState {
  const cards = state.saved.cards.filter(({ id }) => id !== state.saved.selected);
  return withSavedFieldsCleared({
    ...state,
    method: "new",
    saved: { ...state.saved, cards, selected: null, trouble: "card_unavailable" },
  });
}

/** The step with the error that the server found in `field`, and the focus there, if the form asks for that field. */
function withFieldError(config: FormConfig, step: Step, field?: FieldName, errorId?: ErrorId): Step {
  const { state, effects } = step;
  const name = askedFields(config, state).find((name) => ruleOf(name) === field);
  if (name === undefined || errorId === undefined) {
    return step;
  }
  const wrong: Field = { ...state.fields[name], state: "ValidationError", errorId };
  return {
    state: { ...state, fields: { ...state.fields, [name]: wrong } },
    effects: [...effects, fieldAction("cardFormInputError", name), { type: "focus", field: name }],
  };
}
