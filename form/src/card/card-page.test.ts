// The card page's machine: what each event changes, what it makes the page do, and where the focus goes.

import { describe, expect, test } from "vitest";

import { savedCard } from "../../test/driven-form.ts";
import {
  ADD_CARD_ID,
  type CardPageEffect,
  type CardPageEvent,
  type CardPageState,
  INITIAL_CARD_PAGE,
  nextCardPage,
  type OwnCard,
  TITLE_ID,
} from "./card-page.ts";

const own = (id: string, change: Partial<OwnCard> = {}): OwnCard => ({
  ...savedCard(id),
  nickname: null,
  isDefault: false,
  ...change,
});
const CARDS = [own("pm_1", { isDefault: true }), own("pm_2"), own("pm_3", { nickname: "Home" })];
const LISTED: CardPageState = { ...INITIAL_CARD_PAGE, list: "loaded", cards: CARDS };
const CHANGED: CardPageEffect = { type: "post", message: { type: "cards-changed" } };

/** The state after these events, and the effects of the last one. */
function after(state: CardPageState, ...events: CardPageEvent[]) {
  let effects: readonly CardPageEffect[] = [];
  for (const event of events) {
    ({ state, effects } = nextCardPage(state, event));
  }
  return { state, effects };
}

type ListEffect = Extract<CardPageEffect, { type: "list" }>;

const ids = ({ cards }: CardPageState) => cards.map(({ id }) => id);
const ask = (id: string, type: "default" | "remove"): CardPageEvent => ({
  type: "change-asked",
  id,
  change: { type },
});
const answer = (
  change: Extract<CardPageEvent, { type: "changed" }>["change"],
  result: "done" | "gone" | "failed" = "done",
): CardPageEvent => ({ type: "changed", change, result });

describe("the list", () => {
  test("is loaded, and loaded again after it failed", () => {
    const asked = after(INITIAL_CARD_PAGE, { type: "list-asked" });
    expect(asked.effects).toEqual([{ type: "list", changes: 0 }]);
    const failed = after(asked.state, { type: "listed", changes: 0, cards: null });
    expect(failed.state).toMatchObject({ list: "failed", trouble: "saved_cards_error" });
    const again = after(failed.state, { type: "list-asked" });
    expect(again).toMatchObject({
      state: { list: "loading", trouble: null },
      // The pressed button has gone with the danger card.
      effects: [
        { type: "focus", id: TITLE_ID },
        { type: "list", changes: 0 },
      ],
    });
    expect(after(again.state, { type: "listed", changes: 0, cards: CARDS }).state).toMatchObject({
      list: "loaded",
      cards: CARDS,
    });
  });

  test("from before a removal is asked for again", () => {
    const left = after(LISTED, { type: "adding-asked", renews: null }, { type: "adding-left" });
    const before = left.effects.find(({ type }) => type === "list") as ListEffect;
    const removed = after(left.state, ask("pm_1", "remove"), answer({ type: "remove" })).state;
    const late = after(removed, { ...before, type: "listed", cards: CARDS });
    expect(ids(late.state)).toEqual(["pm_2", "pm_3"]);
    const again = late.effects[0] as ListEffect;
    expect(late.effects).toEqual([{ ...again, type: "list" }]);
    const news = { ...again, type: "listed", cards: CARDS.slice(2) } as const;
    expect(ids(after(late.state, news).state)).toEqual(["pm_3"]);
  });
});

describe("a change", () => {
  test("makes a card the only default one, first and focused", () => {
    const { state, effects } = after(LISTED, ask("pm_3", "default"), answer({ type: "default" }));
    expect(state.cards.map(({ id, isDefault }) => [id, isDefault])).toEqual([
      ["pm_3", true],
      ["pm_1", false],
      ["pm_2", false],
    ]);
    expect(effects).toEqual([{ type: "focus", id: "own-card-pm_3" }, CHANGED]);
    expect(state).toMatchObject({ busy: null, news: { text: "card_changed", count: 1 } });
  });

  test("names a card, and gives the focus back to the button", () => {
    const change = { type: "name", nickname: "Company" } as const;
    const { state, effects } = after(
      LISTED,
      { type: "naming-asked", id: "pm_2" },
      { type: "change-asked", id: "pm_2", change },
      answer(change),
    );
    expect(state.cards[1]).toEqual({ ...CARDS[1], nickname: "Company" });
    expect(state.naming).toBe(null);
    expect(effects).toEqual([{ type: "focus", id: "own-card-pm_2-rename" }, CHANGED]);
  });

  test.each([
    ["pm_1", ["pm_2", "pm_3"], "own-card-pm_2"],
    ["pm_3", ["pm_1", "pm_2"], "own-card-pm_2"],
  ])("removes %s once it is confirmed, and the next card has the focus", (id, left, focused) => {
    const asked = after(LISTED, { type: "removal-asked", id });
    expect(asked).toMatchObject({ state: { confirming: id, cards: CARDS }, effects: [] });
    const sent = after(asked.state, ask(id, "remove"));
    expect(sent.state).toMatchObject({ confirming: null, busy: id, cards: CARDS });
    const { state, effects } = after(sent.state, answer({ type: "remove" }));
    expect(ids(state)).toEqual(left);
    expect(effects).toEqual([{ type: "focus", id: focused }, CHANGED]);
  });

  test("of the last card leads to the title", () => {
    const one = { ...LISTED, cards: [own("pm_1")] };
    const { state, effects } = after(one, ask("pm_1", "remove"), answer({ type: "remove" }));
    expect(ids(state)).toEqual([]);
    expect(effects[0]).toEqual({ type: "focus", id: TITLE_ID });
  });

  test("that fails changes nothing and says so", () => {
    for (const [type, trouble] of [
      ["default", "card_not_changed"],
      ["remove", "card_not_removed"],
    ] as const) {
      const { state, effects } = after(LISTED, ask("pm_2", type), answer({ type }, "failed"));
      expect(state).toEqual({ ...LISTED, trouble });
      expect(effects).toEqual([]);
    }
  });

  test("of a card that is gone takes it away", () => {
    const { state } = after(LISTED, ask("pm_2", "default"), answer({ type: "default" }, "gone"));
    expect(ids(state)).toEqual(["pm_1", "pm_3"]);
    expect(state).toMatchObject({ trouble: "card_not_changed", news: null });
  });

  test.each([
    ["the one before", ask("pm_1", "default")],
    ["the form that adds a card", { type: "adding-asked", renews: null }],
  ] as const)("does not begin during %s", (_, first) => {
    const busy = after(LISTED, first).state;
    for (const event of [
      ask("pm_2", "remove"),
      { type: "naming-asked", id: "pm_2" },
      { type: "removal-asked", id: "pm_2" },
    ] as const) {
      expect(after(busy, event)).toEqual({ state: busy, effects: [] });
    }
  });
});

describe("adding a card", () => {
  test("shows the form, then the list with the new card", () => {
    const asked = after(LISTED, { type: "naming-asked", id: "pm_1" }, { type: "adding-asked", renews: null });
    expect(asked).toMatchObject({ state: { adding: "asked", naming: null }, effects: [{ type: "add" }] });
    expect(after(asked.state, { type: "adding-asked", renews: null }).effects).toEqual([]);
    const form = after(asked.state, { type: "adding-begun" }).state;
    expect(form.adding).toBe("form");
    const { state, effects } = after(form, { type: "card-added" });
    expect(state).toMatchObject({ adding: "no", news: { text: "outcome_card_saved" }, cards: CARDS });
    expect(effects).toEqual([
      { type: "drop-form" },
      { type: "focus", id: TITLE_ID },
      { type: "list", changes: 0 },
      CHANGED,
    ]);
  });

  test("is left, or fails, with the focus on its button", () => {
    const asked = after(LISTED, { type: "adding-asked", renews: null }).state;
    const failed = after(asked, { type: "adding-failed" });
    expect(failed.state).toMatchObject({ adding: "no", trouble: "card_not_added" });
    expect(failed.effects).toContainEqual({ type: "focus", id: ADD_CARD_ID });
    const left = after(asked, { type: "adding-begun" }, { type: "adding-left" });
    expect(left.state).toMatchObject({ adding: "no", trouble: null });
    expect(left.effects).toContainEqual({ type: "focus", id: ADD_CARD_ID });
    expect(left.effects).not.toContainEqual(CHANGED);
  });
});

describe("the new date of an expired card", () => {
  const asked = after(LISTED, { type: "adding-asked", renews: "pm_2" });

  test("is asked for with this card, and the list is read again", () => {
    expect(asked.effects).toEqual([{ type: "add", renews: CARDS[1] }]);
    const form = after(asked.state, { type: "adding-begun" }).state;
    expect(form.renewing).toBe(CARDS[1]);
    const { state, effects } = after(form, { type: "card-added" });
    expect(state).toMatchObject({ adding: "no", renewing: null, news: { text: "card_changed" } });
    expect(effects).toEqual([
      { type: "drop-form" },
      { type: "focus", id: "own-card-pm_2" },
      { type: "list", changes: 0 },
      CHANGED,
    ]);
  });

  test("is left, or fails, with the focus on the card's button", () => {
    const failed = after(asked.state, { type: "adding-failed" });
    expect(failed.state).toMatchObject({ adding: "no", renewing: null, trouble: "card_not_changed" });
    expect(failed.effects).toContainEqual({ type: "focus", id: "own-card-pm_2-renew" });
    const left = after(asked.state, { type: "adding-begun" }, { type: "adding-left" });
    expect(left.effects).toContainEqual({ type: "focus", id: "own-card-pm_2-renew" });
    // Afterwards a card can be added.
    expect(after(left.state, { type: "adding-asked", renews: null }).effects).toEqual([
      { type: "add", renews: null },
    ]);
  });

  test("is not asked for while another card is changed", () => {
    const busy = after(LISTED, ask("pm_1", "remove")).state;
    expect(after(busy, { type: "adding-asked", renews: "pm_2" })).toEqual({ state: busy, effects: [] });
  });
});

test("after the session's end nothing changes and no card is kept", () => {
  const { state, effects } = after(LISTED, { type: "adding-asked", renews: null }, { type: "expired" });
  expect(state).toMatchObject({ hasExpired: true, cards: [], adding: "no" });
  expect(effects).toEqual([
    { type: "drop-form" },
    { type: "focus", id: TITLE_ID },
    { type: "post", message: { type: "card-session-expired" } },
  ]);
  for (const event of [
    { type: "listed", changes: 0, cards: CARDS },
    { type: "adding-begun" },
    { type: "expired" },
  ] as const) {
    expect(after(state, event)).toEqual({ state, effects: [] });
  }
});
