// The form as one machine: the state of its fields, its saved cards and the submission, what happens, and what is to
// be done about it. Pure: the time comes in with the event, the doing goes out as effects.

import type { Month } from "./expiry.ts";
import { fieldChanged, showWhatIsMissing, UNTOUCHED, withNewCardCleared } from "./form-fields.ts";
import {
  type Effect,
  type FormConfig,
  type FormEvent,
  type FormState,
  fieldAction,
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

/** The form before anything has happened. */
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
    charge: null,
  };
  return withNewCardCleared(config, untouched, today);
}

/** A list that may be empty is not waited for: the new-card form stands until it comes. One known to be empty is here. */
function initialList({ offersSavedCards, savedCardsCount }: FormConfig): SavedCards["list"] {
  if (!offersSavedCards) {
    return "none";
  }
  if (savedCardsCount === null) {
    return "awaited";
  }
  return savedCardsCount === 0 ? "loaded" : "loading";
}

/** What only the shopper does, or the merchant's pay button for the shopper. */
const BEGINNINGS: ReadonlySet<FormEvent["type"]> = new Set<FormEvent["type"]>([
  "field",
  "field-focused",
  "save-card-chosen",
  "method-chosen",
  "submit",
  "submit-attempted",
  "enter-pressed",
]);

/** The machine: what `event` makes of `state`, and what is to be done. */
export function next(config: FormConfig, state: FormState, event: FormEvent, today: Month): Step {
  const before = state.begun || !BEGINNINGS.has(event.type) ? state : { ...state, begun: true };
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
      // While a charge is under way, a look that finds nothing new changes nothing.
      return step.state === state && state.submission.phase !== "open"
        ? step
        : { ...step, state: { ...step.state, charge: event.charge } };
    }
    default:
      return savedCardsChanged(config, state, event, today);
  }
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
