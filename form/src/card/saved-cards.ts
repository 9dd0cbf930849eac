// The saved cards: loading, selecting and removing them, and changing to a new card (docs/saved-cards.md).

import type { Month } from "./expiry.ts";
import { withNewCardCleared, withSavedCodeCleared } from "./form-fields.ts";
import {
  type Effect,
  type FormConfig,
  type FormState,
  isDisabled,
  type Method,
  type SavedCardsEvent,
  type Step,
  stay,
} from "./form-state.ts";
import type { ListedCard, SavedCards } from "./saved-card-list.ts";

export type { ListedCard, SavedCards, SavedCardsTrouble } from "./saved-card-list.ts";

export const NO_SAVED_CARDS: SavedCards = {
  list: "none",
  late: false,
  cards: [],
  selected: null,
  confirming: null,
  leaving: [],
  saidRemoved: false,
  trouble: null,
};

/** Whether the card has expired in the month `today`. */
export function isExpired({ expirationYear, expirationMonth }: ListedCard, today: Month): boolean {
  return expirationYear < today.year || (expirationYear === today.year && expirationMonth < today.month);
}

/** The form after an event about the saved cards. */
export function savedCardsChanged(
  config: FormConfig,
  state: FormState,
  event: SavedCardsEvent,
  today: Month,
): Step {
  const { saved } = state;
  switch (event.type) {
    case "saved-cards-answered":
      return saved.list === "loading" || saved.list === "awaited"
        ? stay(listed(state, event.cards, today))
        : stay(state);
    case "saved-cards-overdue":
      return saved.list === "loading" && state.method === "saved"
        ? stay({ ...state, method: "new", saved: { ...saved, list: "awaited" } })
        : stay(state);
    case "removal-canceled":
      return stay({ ...state, saved: { ...saved, confirming: null } });
    case "removal-answered":
      return stay(settledRemoval(state, event.id, event.removed));
    case "snackbar-dismissed":
      return stay({ ...state, saved: { ...saved, saidRemoved: false } });
  }
  // The other events are the shopper's choices; while a payment is under way they do nothing.
  if (isDisabled(state)) {
    return stay(state);
  }
  switch (event.type) {
    case "saved-card-selected":
      return selected(state, event.id, today);
    case "method-chosen":
      return methodChosen(state, event.method, today);
    case "removal-asked":
      return stay({ ...state, saved: { ...saved, confirming: event.id, trouble: null } });
    case "removal-confirmed":
      return removed(config, state, today);
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
function withSelection(state: FormState, method: Method, today: Month): FormState {
  const first = state.saved.cards.find((card) => !isExpired(card, today));
  const pays = method === "saved" && first !== undefined;
  return withSavedCodeCleared({
    ...state,
    method: pays ? "saved" : "new",
    saved: { ...state.saved, selected: pays ? first.id : null },
  });
}

function selected(state: FormState, id: string, today: Month): Step {
  const card = state.saved.cards.find((one) => one.id === id);
  if (card === undefined || isExpired(card, today) || state.saved.selected === id) {
    return stay(state);
  }
  const saved: SavedCards = { ...state.saved, selected: id, trouble: null };
  return stay(withSavedCodeCleared({ ...state, method: "saved", saved, failure: null }));
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

/** The card leaves at once and comes back if the server refuses (docs/saved-cards.md#how-a-card-leaves). */
function removed(config: FormConfig, before: FormState, today: Month): Step {
  const { saved } = before;
  const place = saved.cards.findIndex(({ id }) => id === saved.confirming);
  const card = saved.cards[place];
  if (card === undefined) {
    return stay({ ...before, saved: { ...saved, confirming: null } });
  }
  const wasSelected = saved.selected === card.id;
  const state: FormState = {
    ...before,
    failure: null,
    saved: {
      ...saved,
      cards: saved.cards.filter((one) => one !== card),
      confirming: null,
      leaving: [...saved.leaving, { card, place }],
      saidRemoved: config.saysRemoved,
      trouble: null,
    },
  };
  const effects: Effect[] = [{ type: "remove-saved-card", id: card.id }, { type: "focus-method" }];
  if (state.saved.cards.length === 0) {
    return { state: withSelection(withNewCardCleared(config, state, today), "new", today), effects };
  }
  if (!wasSelected) {
    return { state, effects };
  }
  return { state: withSelection(withNewCardCleared(config, state, today), "saved", today), effects };
}

function settledRemoval(state: FormState, id: string, removed: boolean): FormState {
  const { saved } = state;
  const left = saved.leaving.find(({ card }) => card.id === id);
  if (left === undefined) {
    return state;
  }
  const leaving = saved.leaving.filter((one) => one !== left);
  if (removed) {
    return { ...state, saved: { ...saved, leaving } };
  }
  const cards = [...saved.cards.slice(0, left.place), left.card, ...saved.cards.slice(left.place)];
  return {
    ...state,
    saved: { ...saved, leaving, cards, saidRemoved: false, trouble: "card_not_removed" },
  };
}

/** The server no longer has the selected card: it leaves the list, and the form of a new card is shown. */
export function withoutUnavailableCard(state: FormState): FormState {
  const cards = state.saved.cards.filter(({ id }) => id !== state.saved.selected);
  return withSavedCodeCleared({
    ...state,
    method: "new",
    saved: { ...state.saved, cards, selected: null, trouble: "card_unavailable" },
  });
}
