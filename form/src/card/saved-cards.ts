// The saved cards: loading, selecting, removing, and the way to a new card
// (docs/saved-cards.md).

import type { BrandName } from "./brand.ts";
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

/** A card in the shopper's list. */
export interface SavedCard {
  /** Its `payment_method_id`. */
  readonly id: string;
  readonly lastFour: string;
  /** Null for a brand that is not in the table. */
  readonly brand: BrandName | null;
  readonly expirationMonth: number;
  /** Four digits. */
  readonly expirationYear: number;
}

/** What the danger card says. */
export type SavedCardsTrouble = "saved_cards_error" | "card_not_removed" | "card_unavailable";

/** The list and what is done with it. */
export interface SavedCards {
  /**
   * "none" where saved cards are not offered; "loading" while the shopper, who has some, looks at their place; "awaited"
   * while the new-card form stands and the list may still come.
   */
  readonly list: "none" | "loading" | "awaited" | "loaded" | "failed";
  /** The list came when the shopper had begun with a new card, which then stays where it is. */
  readonly late: boolean;
  readonly cards: readonly SavedCard[];
  /** The id of the card that is to pay. */
  readonly selected: string | null;
  /** The id of the card whose removal waits for the shopper's word. */
  readonly confirming: string | null;
  /** Cards that have left and about which the server has not answered, with the place they had. */
  readonly leaving: readonly { readonly card: SavedCard; readonly place: number }[];
  /** Whether the snackbar shows. */
  readonly saidRemoved: boolean;
  readonly trouble: SavedCardsTrouble | null;
}

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

/** Whether the card can no longer pay in the month `today`. */
export function isExpired({ expirationYear, expirationMonth }: SavedCard, today: Month): boolean {
  return expirationYear < today.year || (expirationYear === today.year && expirationMonth < today.month);
}

/** What an event about the saved cards makes of the form. */
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
  // The rest are the shopper's choices, of which there are none while a submission is under way.
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

/** The list came: the first card that can pay is selected, unless the shopper has begun with a new card already. */
function listed(state: FormState, cards: readonly SavedCard[] | null, today: Month): FormState {
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

/** The state with `method`, and with the first usable card selected when that is a saved one and there is any. */
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
  // With expired cards only there is nothing to select, but the shopper may want to remove them.
  const shown = method === "saved" && chosen.saved.cards.length > 0 ? { ...chosen, method } : chosen;
  return { state: shown, effects: [{ type: "focus-method" }] };
}

/**
 * The card leaves at once; should the server refuse, it comes back (docs/saved-cards.md#how-a-card-leaves).
 */
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

/** The server knows the selected card no more: it is taken off the list, and the new-card form is offered. */
export function withoutUnavailableCard(state: FormState): FormState {
  const cards = state.saved.cards.filter(({ id }) => id !== state.saved.selected);
  return withSavedCodeCleared({
    ...state,
    method: "new",
    saved: { ...state.saved, cards, selected: null, trouble: "card_unavailable" },
  });
}
