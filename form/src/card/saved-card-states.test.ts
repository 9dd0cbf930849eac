// docs/saved-cards.md draws the machine of the saved cards: every transition that can happen, and no other.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CONFIG as NEW_CARDS_ONLY, savedCard, TODAY } from "../../test/driven-form.ts";
import { type FormEvent, type FormState, initialForm, type ListedCard, next } from "./form.ts";
import { isExpired } from "./saved-cards.ts";

const DRAWING = readFileSync(new URL("../../../docs/saved-cards.md", import.meta.url), "utf8");

const CONFIG = { ...NEW_CARDS_ONLY, offersSavedCards: true, savedCardsCount: 2, offersSaving: true };
/** What the server knew of the shopper's cards, and what the drawing says of it. */
const STARTS = [
  [CONFIG, "Loading", "offered"],
  [{ ...CONFIG, savedCardsCount: null }, "NewAwaiting", "not counted"],
  [{ ...CONFIG, savedCardsCount: 0 }, "NewOnly", "none"],
  [NEW_CARDS_ONLY, "NewOnly", "not offered"],
] as const;
const ONE = savedCard("pm_one");
const OTHER = savedCard("pm_other");
const EXPIRED = savedCard("pm_old", { expirationMonth: TODAY.month - 1 });
const CARDS = [ONE, OTHER, EXPIRED];
const LISTS: (readonly ListedCard[] | null)[] = [[ONE, OTHER], [ONE, EXPIRED], [EXPIRED], [], null];

/** What happens to the form under one name of the drawing: one event, or what leads up to it as well. */
type LabeledEvents = readonly [label: string, ...events: FormEvent[]];

function answered(cards: readonly ListedCard[] | null): LabeledEvents {
  const event: FormEvent = { type: "saved-cards-answered", cards };
  if (cards === null) return ["answered failed", event];
  if (cards.length === 0) return ["answered empty", event];
  return [cards.every((card) => isExpired(card, TODAY)) ? "answered expired" : "answered", event];
}

const UNAVAILABLE: LabeledEvents = [
  "unavailable",
  { type: "field", name: "savedSecurity", event: { type: "typed", text: "123" } },
  { type: "submit", clientSecret: "secret" },
  {
    type: "charge-answered",
    answer: { kind: "refused", code: "payment_method_not_found" },
  },
];

const RETRY: LabeledEvents = ["retry", { type: "list-retried" }];
const PAY: LabeledEvents = ["pay", { type: "submit-attempted" }];

/** What the page lets happen at a state: the dialog is modal, and only cards that are seen can be chosen or removed. */
function possibleEvents({ method, saved }: FormState): LabeledEvents[] {
  const shown = method === "saved" ? saved.cards : [];
  const ofServer: LabeledEvents[] = [
    ...LISTS.map(answered),
    ["overdue", { type: "saved-cards-overdue" }],
    ...saved.leaving.flatMap(({ card: { id } }): LabeledEvents[] => [
      ["removed", { type: "removal-answered", id, removed: true }],
      ["refused", { type: "removal-answered", id, removed: false }],
    ]),
  ];
  if (saved.confirming !== null) {
    return [...ofServer, ["cancel", { type: "removal-canceled" }], ["remove", { type: "removal-confirmed" }]];
  }
  const toggle: LabeledEvents[] =
    method === "saved"
      ? [["choose new", { type: "method-chosen", method: "new" }]]
      : saved.list === "loading" || saved.cards.length > 0
        ? [["choose saved", { type: "method-chosen", method: "saved" }]]
        : [["begin", { type: "field-focused", name: "cardNumber" }]];
  return [
    ...ofServer,
    ...toggle,
    ...shown.flatMap(({ id }): LabeledEvents[] => [
      ["select", { type: "saved-card-selected", id }],
      ["ask", { type: "removal-asked", id }],
    ]),
    ...(saved.selected === null ? [] : [UNAVAILABLE]),
    ...(saved.trouble === "saved_cards_error" ? [RETRY] : []),
    ...(shown.length > 0 && saved.selected === null ? [PAY] : []),
  ];
}

/** Which part of the form is seen. */
function part({ method, saved, begun }: FormState): string {
  if (saved.list === "awaited") return begun ? "NewBegun" : "NewAwaiting";
  if (saved.list === "loading") return method === "saved" ? "Loading" : "NewWaiting";
  if (method === "saved") return saved.selected === null ? "SavedExpired" : "Saved";
  return saved.cards.length > 0 ? "New" : "NewOnly";
}

/** How one card stands, once the list has come with it. */
function standing({ saved }: FormState, { id }: ListedCard): string {
  if (saved.cards.some((card) => card.id === id)) return saved.confirming === id ? "Asked" : "Listed";
  return saved.leaving.some(({ card }) => card.id === id) ? "Leaving" : "Gone";
}

/** The security code and the snackbar do not lead anywhere, so states that differ in them alone are one. */
function keyOf({ method, saved, begun }: FormState): string {
  return JSON.stringify([
    method,
    saved.list !== "loaded" && begun,
    { ...saved, saidRemoved: false, trouble: null },
  ]);
}

/** Every step that some sequence of possibleEvents leads to, as [before, label, after]. */
function steps(): [FormState, string, FormState][] {
  const found: [FormState, string, FormState][] = [];
  const seen = new Set<string>();
  const open = [initialForm(CONFIG, TODAY)];
  for (let before = open.pop(); before; before = open.pop()) {
    const key = keyOf(before);
    if (seen.has(key)) continue;
    seen.add(key);
    for (const [label, ...events] of possibleEvents(before)) {
      const after = events.reduce((state, event) => next(CONFIG, state, event, TODAY).state, before);
      found.push([before, label, after]);
      open.push(after);
    }
  }
  return found;
}

/** The transitions in the drawing under this heading. */
function drawn(heading: string): string[] {
  const section = DRAWING.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const diagram = /```mermaid\nstateDiagram-v2\n(.*?)```/s.exec(section)?.[1] ?? "";
  return [...diagram.matchAll(/^ *(\w+) --> (\w+): (.*)$/gm)]
    .flatMap(([, from, to, labels = ""]) => labels.split(", ").map((one) => `${from} --> ${to}: ${one}`))
    .sort();
}

describe("docs/saved-cards.md", () => {
  const all = steps();

  it("draws which part of the form is seen", () => {
    const made = all
      .map(([before, label, after]) => [part(before), part(after), label])
      .filter(([from, to]) => from !== to)
      .map(([from, to, label]) => `${from} --> ${to}: ${label}`);
    expect(drawn("What is seen")).toEqual([...new Set(made)].sort());
  });

  it("draws how a card leaves", () => {
    const made = all
      .filter(([before]) => before.saved.list === "loaded")
      .flatMap(([before, label, after]) =>
        CARDS.map((card) => [standing(before, card), standing(after, card), label]),
      )
      .filter(([from, to]) => from !== to)
      .map(([from, to, label]) => `${from} --> ${to}: ${label}`);
    expect(drawn("How a card leaves")).toEqual([...new Set(made)].sort());
  });

  it.each(STARTS)("draws where the form starts", (config, start, label) => {
    expect(part(initialForm(config, TODAY))).toBe(start);
    const labels = new RegExp(`\\[\\*\\] --> ${start}: (.*)`).exec(DRAWING)?.[1]?.split(", ");
    expect(labels).toContain(label);
  });
});
