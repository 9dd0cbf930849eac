// The saved cards while their list is awaited, and changing to a new card (docs/saved-cards.md). `saved-card-list.ts` has the rest.

import type { Month } from "./expiry.ts";
import { showWhatIsMissing, withSavedFieldsCleared } from "./form-fields.ts";
import {
  type FormConfig,
  type FormEvent,
  type FormState,
  isDisabled,
  type ListedCard,
  type Method,
  type SavedCards,
  type Step,
  stay,
} from "./form-state.ts";

export const NO_SAVED_CARDS: SavedCards = {
  list: "none",
  late: false,
  cards: [],
  selected: null,
  renews: false,
  confirming: null,
  leaving: [],
  saidRemoved: false,
  trouble: null,
};

export function isExpired({ expirationYear, expirationMonth }: ListedCard, today: Month): boolean {
  return expirationYear < today.year || (expirationYear === today.year && expirationMonth < today.month);
}

/** The form after an event about the saved cards, which can happen before the late scripts have loaded. */
export function savedCardsChanged(state: FormState, event: FormEvent, today: Month): Step {
  const { saved } = state;
  const isOpen = saved.list === "loading" || saved.list === "awaited";
  switch (event.type) {
    case "saved-cards-answered":
      return stay(isOpen ? listed(state, event.cards, today) : state);
    case "saved-cards-overdue":
      return saved.list === "loading" && state.method === "saved"
        ? stay({ ...state, method: "new", saved: { ...saved, list: "awaited" } })
        : stay(state);
    case "list-retried":
      return isDisabled(state)
        ? stay(state)
        : {
            state: { ...state, method: "saved", saved: { ...saved, list: "loading", trouble: null } },
            effects: [{ type: "list-saved-cards" }, { type: "focus-method" }],
          };
    case "method-chosen":
      return isDisabled(state) ? stay(state) : methodChosen(state, event.method, today);
    default:
      return stay(state);
  }
}

/** The list came. The first card that has not expired is selected, unless the shopper has begun with a new card. */
function listed(state: FormState, cards: readonly ListedCard[] | null, today: Month): FormState {
  if (cards === null) {
    return {
      ...state,
      method: "new",
      saved: { ...state.saved, list: "failed", trouble: "saved_cards_error" },
    };
  }
  const late = state.saved.list === "awaited" && state.begun;
  const saved: SavedCards = { ...state.saved, list: "loaded", late, cards };
  const waits = state.saved.list === "awaited" && !state.begun;
  return withSelection({ ...state, saved }, waits ? "saved" : state.method, today);
}

/** The state with `method`. For saved cards the first one that has not expired is selected, if there is one. */
export function withSelection(state: FormState, method: Method, today: Month): FormState {
  const first = state.saved.cards.find((card) => !isExpired(card, today));
  const pays = method === "saved" && first !== undefined;
  return withSavedFieldsCleared({
    ...state,
    method: pays ? "saved" : "new",
    saved: { ...state.saved, selected: pays ? first.id : null, renews: false },
  });
}

function methodChosen(before: FormState, method: Method, today: Month): Step {
  const state = { ...before, failure: null, saved: { ...before.saved, trouble: null } };
  if (method === "saved" && state.saved.list === "loading") {
    return { state: { ...state, method }, effects: [{ type: "focus-method" }] };
  }
  const chosen = withSelection(state, method, today);
  // If every card has expired none is selected, but the shopper may want to remove them.
  const shown = method === "saved" && chosen.saved.cards.length > 0 ? { ...chosen, method } : chosen;
  return { state: shown, effects: [{ type: "focus-method" }] };
}

/** Shows what is missing to pay. If every saved card has expired, that is a new card, and the notice says why. */
export function showWhatToDo(config: FormConfig, state: FormState, today: Month): Step {
  const { saved } = state;
  const hasNoCard = state.method === "saved" && saved.list !== "loading" && saved.selected === null;
  return hasNoCard && !isDisabled(state)
    ? {
        state: { ...state, method: "new", saved: { ...saved, trouble: "card_unavailable" } },
        effects: [{ type: "focus-method" }],
      }
    : showWhatIsMissing(config, state, today);
}
