// The form as one state machine: fields, saved cards and submission. It is pure: the time is a parameter, and everything
// that must be done is returned as effects.

import type { Month } from "./expiry.ts";
import {
  fieldChanged,
  showWhatIsMissing,
  UNTOUCHED,
  withNewCardCleared,
  withPrefill,
  withSavedCodeCleared,
} from "./form-fields.ts";
import {
  type Effect,
  type FormConfig,
  type FormEvent,
  type FormState,
  fieldAction,
  isDisabled,
  isReady,
  type Step,
  stay,
} from "./form-state.ts";
import { NO_SAVED_CARDS, type SavedCards, savedCardsChanged } from "./saved-cards.ts";
import {
  answered,
  challengeClosed,
  challengeReturned,
  failed,
  lookRefused,
  neverArrived,
  seen,
  submit,
  submitUnready,
} from "./submission.ts";

export * from "./form-state.ts";

/** The form at the start. */
export function initialForm(config: FormConfig, today: Month): FormState {
  const list = initialList(config);
  const untouched: FormState = {
    fields: UNTOUCHED,
    movedOn: {},
    method: list === "loading" ? "saved" : "new",
    saved: { ...NO_SAVED_CARDS, list },
    begun: false,
    savesCard: false,
    submission: { phase: "open" },
    failure: null,
    postedReady: null,
    disabled: false,
    charge: null,
  };
  return withNewCardCleared(config, untouched, today);
}

/** If the list may be empty, the form of a new card is shown until it comes. A list known to be empty is not asked for. */
function initialList({ offersSavedCards, savedCardsCount }: FormConfig): SavedCards["list"] {
  if (!offersSavedCards) {
    return "none";
  }
  if (savedCardsCount === null) {
    return "awaited";
  }
  return savedCardsCount === 0 ? "loaded" : "loading";
}

/** Events that only the shopper, or the merchant's pay button, causes. */
const SHOPPER_EVENTS: ReadonlySet<FormEvent["type"]> = new Set<FormEvent["type"]>([
  "field",
  "field-focused",
  "save-card-chosen",
  "method-chosen",
  "submit",
  "submit-attempted",
  "enter-pressed",
]);

/** The machine: the state after `event`, and the effects. */
export function next(config: FormConfig, state: FormState, event: FormEvent, today: Month): Step {
  const before = state.begun || !SHOPPER_EVENTS.has(event.type) ? state : { ...state, begun: true };
  const reached = react(config, before, event, today);
  const ready = isReady(config, reached.state);
  if (reached.state.postedReady === ready || reached.state.postedReady === null) {
    return reached;
  }
  return {
    state: { ...reached.state, postedReady: ready },
    effects: [...reached.effects, { type: "post", message: { type: "form-ready-state", ready } }],
  };
}

function react(config: FormConfig, state: FormState, event: FormEvent, today: Month): Step {
  switch (event.type) {
    case "loaded":
      return loaded(config, state);
    case "field":
      return fieldChanged(config, state, event, today);
    case "field-visible":
      return { state, effects: [fieldAction("cardFormInputVisible", event.name)] };
    case "field-focused":
      return { state, effects: [fieldAction("cardFormInputFocused", event.name)] };
    case "save-card-chosen":
      return stay({ ...state, savesCard: event.saves });
    case "submit":
      return isReady(config, state) ? submit(state, event.clientSecret) : submitUnready(config, state, today);
    case "submit-attempted":
      return showWhatIsMissing(config, state, today);
    case "enter-pressed":
      return isReady(config, state)
        ? { state, effects: [{ type: "post", message: { type: "submit-requested" } }] }
        : showWhatIsMissing(config, state, today);
    case "configured":
      return stay(withPrefill(config, state, today));
    case "form-cleared":
      return stay(isDisabled(state) ? state : cleared(config, state, today));
    case "form-disabled":
      return stay({ ...state, disabled: event.disabled });
    case "link-incomplete":
      return { state: { ...state, submission: { phase: "closed", status: "incomplete_link" } }, effects: [] };
    case "never-arrived":
      return neverArrived(state);
    case "look-refused":
      return lookRefused(config, state, event.code);
    case "client-secret":
      return state.submission.phase === "awaiting-client-secret"
        ? submit(state, event.clientSecret)
        : stay(state);
    case "client-secret-missing":
      return state.submission.phase === "awaiting-client-secret"
        ? failed(state, {
            messageKey: "processing_error",
            declineCode: null,
            errorCode: "client-secret-unavailable",
          })
        : stay(state);
    case "charge-answered":
      return state.submission.phase === "charging" ? answered(config, state, event.answer) : stay(state);
    case "challenge-returned":
      return challengeReturned(state);
    case "challenge-closed":
      return challengeClosed(state);
    case "charge-seen": {
      const step = seen(config, state, event.charge, event.decline);
      // While a payment is under way, news that changes nothing is dropped.
      return step.state === state && state.submission.phase !== "open"
        ? step
        : { ...step, state: { ...step.state, charge: event.charge } };
    }
    default:
      return savedCardsChanged(config, state, event, today);
  }
}

/** Every field is empty again, except for prefilled texts. */
function cleared(config: FormConfig, state: FormState, today: Month): FormState {
  return { ...withNewCardCleared(config, withSavedCodeCleared(state), today), failure: null };
}

function loaded(config: FormConfig, state: FormState): Step {
  const ready = isReady(config, state);
  const { list: known } = state.saved;
  const isOpen = known === "loading" || known === "awaited";
  const list: Effect[] = isOpen ? [{ type: "list-saved-cards" }] : [];
  return {
    state: { ...state, postedReady: ready },
    effects: [
      { type: "post", message: { type: "user-loaded" } },
      { type: "post", message: { type: "form-ready-state", ready } },
      ...list,
    ],
  };
}
