// The list of the saved cards: selecting and removing them (docs/saved-cards.md). It is fetched with the late views, which show
// the list.

import type { Month } from "./expiry.ts";
import { withNewCardCleared, withSavedFieldsCleared } from "./form-fields.ts";
import {
  type Effect,
  type FormConfig,
  type FormEvent,
  type FormState,
  isDisabled,
  type SavedCards,
  type Step,
  stay,
} from "./form-state.ts";
import { isExpired, withSelection } from "./saved-cards.ts";

/** The form after an event that only the shown list can cause. */
export function savedCardListChanged(
  config: FormConfig,
  state: FormState,
  event: FormEvent,
  today: Month,
): Step | null {
  const withSaved = (change: Partial<SavedCards>) => stay({ ...state, saved: { ...state.saved, ...change } });
  switch (event.type) {
    case "removal-canceled":
      return withSaved({ confirming: null });
    case "removal-answered":
      return stay(settledRemoval(state, event.id, event.removed));
    case "snackbar-dismissed":
      return withSaved({ saidRemoved: false });
    // The shopper's choices; while a payment is under way they do nothing.
    case "saved-card-selected":
      return isDisabled(state) ? stay(state) : selected(state, event.id, today);
    case "removal-asked":
      // The next removal has a snackbar of its own.
      return isDisabled(state)
        ? stay(state)
        : withSaved({ confirming: event.id, saidRemoved: false, trouble: null });
    case "removal-confirmed":
      return isDisabled(state) ? stay(state) : removed(config, state, today);
    default:
      return null;
  }
}

function selected(state: FormState, id: string, today: Month): Step {
  const card = state.saved.cards.find((one) => one.id === id);
  if (card === undefined || state.saved.selected === id) {
    return stay(state);
  }
  const saved = { ...state.saved, selected: id, renews: isExpired(card, today), trouble: null };
  return stay(withSavedFieldsCleared({ ...state, method: "saved", saved, failure: null }));
}

/** The card leaves at once and comes back if the server refuses (docs/saved-cards.md#how-a-card-leaves). */
function removed(config: FormConfig, before: FormState, today: Month): Step {
  const { saved } = before;
  const place = saved.cards.findIndex(({ id }) => id === saved.confirming);
  const card = saved.cards[place];
  if (card === undefined) {
    return stay({ ...before, saved: { ...saved, confirming: null } });
  }
  const cards = saved.cards.filter((one) => one !== card);
  const state: FormState = {
    ...before,
    failure: null,
    saved: {
      ...saved,
      cards,
      confirming: null,
      leaving: [...saved.leaving, { card, place }],
      saidRemoved: config.saysRemoved,
      trouble: null,
    },
  };
  const effects: Effect[] = [{ type: "remove-saved-card", id: card.id }, { type: "focus-method" }];
  return saved.selected !== card.id && cards.length > 0
    ? { state, effects }
    : { state: withSelection(withNewCardCleared(config, state, today), "saved", today), effects };
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
