// The card page as a state machine (docs/card-page.md#what-the-shopper-sees): the shopper's cards, a change of one card at a
// time, and the form that adds a card. Like the form's machine it is pure.

import type { FromForm } from "../../generated/wire.ts";
import type { ListedCard } from "./form-state.ts";

/** A card of the page's shopper. */
export interface OwnCard extends ListedCard {
  readonly isDefault: boolean;
}

export interface CardPageState {
  readonly list: "loading" | "loaded" | "failed";
  readonly cards: readonly OwnCard[];
  /** How many changes the service has made. A list that was asked for before the last one is old. */
  readonly changes: number;
  /** The card whose name the shopper types. */
  readonly naming: string | null;
  /** The card whose removal the shopper must confirm. */
  readonly confirming: string | null;
  /** The card that the service changes now. */
  readonly busy: string | null;
  /** "asked": the service prepares the form that adds a card. */
  readonly adding: "no" | "asked" | "form";
  /** The expired card that gets its new date; null if the form adds a card. */
  readonly renewing: OwnCard | null;
  readonly hasExpired: boolean;
  /** The message key of the danger card. */
  readonly trouble: "saved_cards_error" | "card_not_changed" | "card_not_removed" | "card_not_added" | null;
  /** What was done last, for screen readers. The count tells it from the same text said again. */
  readonly news: { readonly text: CardPageNews; readonly count: number } | null;
}

export type CardPageNews = "card_changed" | "card_removed" | "outcome_card_saved";

/** What the shopper wants changed of a card. */
export type CardChange =
  | { readonly type: "name"; readonly nickname: string | null }
  | { readonly type: "default" }
  | { readonly type: "remove" };

export type CardPageEvent =
  /** The page was drawn, or the shopper wants the list to be loaded again. */
  | { readonly type: "list-asked" }
  /** The list came; null if it could not be loaded. `changes` is that of the effect that asked. */
  | { readonly type: "listed"; readonly changes: number; readonly cards: readonly OwnCard[] | null }
  | { readonly type: "naming-asked"; readonly id: string }
  | { readonly type: "naming-canceled" }
  | { readonly type: "change-asked"; readonly id: string; readonly change: CardChange }
  | { readonly type: "removal-asked"; readonly id: string }
  | { readonly type: "removal-canceled" }
  /** The service answered. "gone": it has no such card any more. */
  | { readonly type: "changed"; readonly change: CardChange; readonly result: "done" | "gone" | "failed" }
  /** A card is to be added, or an expired one is to get its new date. */
  | { readonly type: "adding-asked"; readonly renews: string | null }
  | { readonly type: "adding-begun" }
  | { readonly type: "adding-failed" }
  | { readonly type: "adding-left" }
  | { readonly type: "card-added" }
  /** The service accepts the session no longer. */
  | { readonly type: "expired" };

export type CardPageEffect =
  | { readonly type: "list"; readonly changes: number }
  | { readonly type: "change"; readonly id: string; readonly change: CardChange }
  | { readonly type: "add"; readonly renews: OwnCard | null }
  | { readonly type: "drop-form" }
  | { readonly type: "focus"; readonly id: string }
  | { readonly type: "post"; readonly message: FromForm };

export interface CardPageStep {
  readonly state: CardPageState;
  readonly effects: readonly CardPageEffect[];
}

export const INITIAL_CARD_PAGE: CardPageState = {
  list: "loading",
  cards: [],
  changes: 0,
  naming: null,
  confirming: null,
  busy: null,
  adding: "no",
  renewing: null,
  hasExpired: false,
  trouble: null,
  news: null,
};

/** The ids of the page's elements that get the focus. */
export const TITLE_ID = "your-cards";
export const ADD_CARD_ID = "add-card";

/** The id of a card's title, of the buttons that name and renew it, or of the input of its name. */
export function ownCardId(paymentMethodId: string, part: "" | "-rename" | "-name" | "-renew" = ""): string {
  return `own-card-${paymentMethodId}${part}`;
}

const focus = (id: string): CardPageEffect => ({ type: "focus", id });
const TELL: CardPageEffect = { type: "post", message: { type: "cards-changed" } };
const list = ({ changes }: CardPageState): CardPageEffect => ({ type: "list", changes });
const stay = (state: CardPageState): CardPageStep => ({ state, effects: [] });

/** The state after `event`, and the effects. After the session's end nothing changes any more. */
export function nextCardPage(state: CardPageState, event: CardPageEvent): CardPageStep {
  if (state.hasExpired) {
    return stay(state);
  }
  const isIdle = state.busy === null && state.adding === "no";
  switch (event.type) {
    case "list-asked":
      return {
        state: { ...state, list: "loading", trouble: null },
        // The button that was pressed after a failure goes.
        effects: [...(state.list === "failed" ? [focus(TITLE_ID)] : []), list(state)],
      };
    case "listed":
      if (event.cards !== null && event.changes !== state.changes) {
        return { state, effects: [list(state)] };
      }
      return stay(
        event.cards === null
          ? { ...state, list: "failed", cards: [], trouble: "saved_cards_error" }
          : { ...state, list: "loaded", cards: event.cards },
      );
    case "naming-asked":
      return isIdle
        ? {
            state: { ...state, naming: event.id, trouble: null },
            effects: [focus(ownCardId(event.id, "-name"))],
          }
        : stay(state);
    case "naming-canceled":
      return state.naming === null
        ? stay(state)
        : { state: { ...state, naming: null }, effects: [focus(ownCardId(state.naming, "-rename"))] };
    case "removal-asked":
      return stay(isIdle ? { ...state, confirming: event.id, trouble: null } : state);
    case "removal-canceled":
      return stay({ ...state, confirming: null });
    case "change-asked":
      return isIdle
        ? {
            state: { ...state, busy: event.id, confirming: null, trouble: null },
            effects: [{ type: "change", id: event.id, change: event.change }],
          }
        : stay(state);
    case "changed":
      return changed(state, event.change, event.result);
    case "expired":
      return {
        state: { ...INITIAL_CARD_PAGE, list: state.list, hasExpired: true },
        effects: [
          { type: "drop-form" },
          focus(TITLE_ID),
          { type: "post", message: { type: "card-session-expired" } },
        ],
      };
    default:
      return adding(state, event);
  }
}

/** The service answered to the change of the busy card. */
function changed(
  before: CardPageState,
  change: CardChange,
  result: "done" | "gone" | "failed",
): CardPageStep {
  const { busy: id, cards } = before;
  const place = cards.findIndex((card) => card.id === id);
  const card = cards[place];
  const changes = before.changes + (result === "failed" ? 0 : 1);
  const state = { ...before, busy: null, changes };
  if (id === null || card === undefined) {
    return stay(state);
  }
  const trouble = change.type === "remove" ? "card_not_removed" : "card_not_changed";
  if (result === "failed") {
    return stay({ ...state, trouble });
  }
  if (result === "gone" || change.type === "remove") {
    const left = cards.filter((one) => one !== card);
    const next = left[place] ?? left.at(-1);
    const isGone = result === "gone" && change.type !== "remove";
    return {
      state: {
        ...(isGone ? { ...state, trouble } : withNews(state, "card_removed")),
        naming: state.naming === id ? null : state.naming,
        cards: left,
      },
      effects: [focus(next === undefined ? TITLE_ID : ownCardId(next.id)), TELL],
    };
  }
  const said = withNews(state, "card_changed");
  if (change.type === "name") {
    const named = cards.map((one) => (one === card ? { ...card, nickname: change.nickname } : one));
    return {
      state: { ...said, naming: null, cards: named },
      effects: [focus(ownCardId(id, "-rename")), TELL],
    };
  }
  // As the service lists them: the default card first.
  const others = cards.filter((one) => one !== card).map((one) => ({ ...one, isDefault: false }));
  return {
    state: { ...said, cards: [{ ...card, isDefault: true }, ...others] },
    effects: [focus(ownCardId(id)), TELL],
  };
}

/** The way to another card, or to a card's new date. The list is loaded again, because the service decides what it holds. */
function adding(state: CardPageState, event: CardPageEvent): CardPageStep {
  const { renewing } = state;
  const backTo = focus(renewing === null ? ADD_CARD_ID : ownCardId(renewing.id, "-renew"));
  switch (event.type) {
    case "adding-asked": {
      const renews = state.cards.find(({ id }) => id === event.renews) ?? null;
      return state.adding === "no" && state.busy === null && state.list !== "loading"
        ? {
            state: {
              ...state,
              adding: "asked",
              renewing: renews,
              naming: null,
              confirming: null,
              trouble: null,
            },
            effects: [{ type: "add", renews }],
          }
        : stay(state);
    }
    case "adding-begun":
      return stay({ ...state, adding: "form" });
    case "adding-failed":
      return {
        state: {
          ...state,
          adding: "no",
          renewing: null,
          trouble: renewing === null ? "card_not_added" : "card_not_changed",
        },
        effects: [{ type: "drop-form" }, backTo],
      };
    case "adding-left":
      // A card whose outcome was not known may be there by now.
      return {
        state: { ...state, adding: "no", renewing: null },
        effects: [{ type: "drop-form" }, backTo, list(state)],
      };
    case "card-added":
      return {
        state: {
          ...withNews(state, renewing === null ? "outcome_card_saved" : "card_changed"),
          adding: "no",
          renewing: null,
        },
        effects: [
          { type: "drop-form" },
          focus(renewing === null ? TITLE_ID : ownCardId(renewing.id)),
          list(state),
          TELL,
        ],
      };
    default:
      return stay(state);
  }
}

function withNews(state: CardPageState, text: CardPageNews): CardPageState {
  return { ...state, news: { text, count: (state.news?.count ?? 0) + 1 } };
}
