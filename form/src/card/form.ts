// The form as one state machine: fields, saved cards and submission. It is pure: the time is a parameter, and everything
// that must be done is returned as effects.

import type { Month } from "./expiry.ts";
import {
  fieldChanged,
  UNTOUCHED,
  withNewCardCleared,
  withPrefill,
  withSavedFieldsCleared,
} from "./form-fields.ts";
import {
  type Effect,
  type FormConfig,
  type FormEvent,
  type FormState,
  fieldAction,
  isDisabled,
  isReady,
  type SavedCards,
  type Step,
  stay,
} from "./form-state.ts";
import { NO_SAVED_CARDS, savedCardsChanged, showWhatToDo } from "./saved-cards.ts";
import { failed, submit, submitUnready } from "./submission.ts";

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
    networks: {},
    network: null,
    submission: { phase: "open" },
    failure: null,
    postedReady: null,
    disabled: false,
    charge: null,
  };
  return withNewCardCleared(config, untouched, today);
}

/** If the list may be empty, the form of a new card is shown until the list arrives. A list known to be empty is not requested. */
function initialList({ offersSavedCards, savedCardsCount }: FormConfig): SavedCards["list"] {
  if (!offersSavedCards) {
    return "none";
  }
  if (savedCardsCount === null) {
    return "awaited";
  }
  return savedCardsCount === 0 ? "loaded" : "loading";
}

/** Steps after events that no script of the first drawing causes; null for other events. */
type LateSteps = (config: FormConfig, state: FormState, event: FormEvent, today: Month) => Step | null;
let lateSteps: LateSteps = () => null;

/** Adds the steps of `late-steps.ts`, which a later script brings. Until then no event asks for them. */
export function addLateSteps(steps: LateSteps): void {
  lateSteps = steps;
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
      return stay(isDisabled(state) ? state : { ...state, savesCard: event.saves });
    case "submit":
      return isReady(config, state) ? submit(state, event.clientSecret) : submitUnready(config, state, today);
    case "submit-attempted":
      return showWhatToDo(config, state, today);
    case "enter-pressed":
      return isReady(config, state)
        ? { state, effects: [{ type: "post", message: { type: "submit-requested" } }] }
        : showWhatToDo(config, state, today);
    case "configured":
      return stay(withPrefill(event.config, state, today));
    case "form-cleared":
      return stay(isDisabled(state) ? state : cleared(config, state, today));
    case "form-disabled":
      return stay({ ...state, disabled: event.disabled });
    case "link-incomplete":
      return stay({ ...state, submission: { phase: "closed", status: "incomplete_link" } });
    case "client-secret":
      if (state.submission.phase !== "awaiting-client-secret") {
        return stay(state);
      }
      return event.clientSecret === null
        ? failed(state, { messageKey: "processing_error", errorCode: "client-secret-unavailable" })
        : submit(state, event.clientSecret);
    case "charge-answered":
      if (state.submission.phase !== "charging") {
        return stay(state);
      }
      if (event.answer.kind === "unsent") {
        // Also said if the late scripts could not be loaded.
        return failed(state, { messageKey: "offline", errorCode: "offline" });
      }
      break;
  }
  return lateSteps(config, state, event, today) ?? savedCardsChanged(state, event, today);
}

/** Every field is empty again, except for prefilled texts. */
function cleared(config: FormConfig, state: FormState, today: Month): FormState {
  return { ...withNewCardCleared(config, withSavedFieldsCleared(state), today), failure: null };
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
