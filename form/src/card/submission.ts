// Paying: from the pay button to the request (docs/form.md#paying). `answers.ts` has the answers.

import type { Month } from "./expiry.ts";
import {
  askedFields,
  type Failure,
  type FailureMessageKey,
  type FormConfig,
  type FormState,
  isPaid,
  type Step,
  type Submission,
} from "./form-state.ts";
import { showWhatToDo } from "./saved-cards.ts";

/** Sends the charge, or first asks for the client secret. */
export function submit(state: FormState, clientSecret: string | null): Step {
  const begun = { ...state, failure: null, saved: { ...state.saved, confirming: null } };
  if (clientSecret === null) {
    return {
      state: { ...begun, submission: { phase: "awaiting-client-secret" } },
      effects: [{ type: "request-client-secret" }],
    };
  }
  return {
    state: { ...begun, submission: { phase: "charging", clientSecret } },
    effects: [{ type: "charge", clientSecret }],
  };
}

/**
 * The parent wants to pay and the form is not ready. The form shows what is missing and tells the parent, which waits
 * for an answer. If a payment is under way the answer comes when it ends. A closed form tells again how it ended.
 */
export function submitUnready(config: FormConfig, before: FormState, today: Month): Step {
  const { state, effects } = showWhatToDo(config, before, today);
  const { submission } = state;
  if (submission.phase !== "open" && submission.phase !== "closed") {
    return { state, effects };
  }
  const failure = isPaid(state) ? null : (state.failure ?? { messageKey: whyUnready(config, state) });
  const notReady = submission.phase === "open" && { notReady: true as const };
  return { state, effects: [...effects, { type: "post-result", failure, ...notReady }] };
}

/** The error of the first field that has one. If no field is required, there is no saved card to pay with. */
function whyUnready(config: FormConfig, state: FormState): FailureMessageKey {
  if (state.submission.phase === "closed" || state.saved.list === "loading") {
    return "processing_error";
  }
  const errors = askedFields(config, state).map((name) => state.fields[name].errorId);
  return errors.find((errorId) => errorId !== null) ?? "card_unavailable";
}

/** The submission has ended, or the form opens again. The parent gets the result. */
export function ended(state: FormState, submission: Submission, failure: Failure | null): Step {
  return { state: { ...state, submission, failure }, effects: [{ type: "post-result", failure }] };
}

/** Not paid: the form opens again and says why. */
export function failed(state: FormState, failure: Failure): Step {
  return ended(state, { phase: "open" }, failure);
}
