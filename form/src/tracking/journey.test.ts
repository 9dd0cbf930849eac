// What a shopper does in the form, told in words of ours; whatever is typed, none of it.

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventRecord } from "../../generated/wire.ts";
import { CONFIG, savedCard, TODAY } from "../../test/driven-form.ts";
import { forAll } from "../../test/for-all.ts";
import type { FormConfig, FormEvent, FormField } from "../card/form.ts";
import { createFormStore } from "../form-store.ts";
import { createVisitor } from "./identity.ts";
import { createJourney } from "./journey.ts";
import { inMemory } from "./kept-values.ts";
import { createTracker } from "./tracker.ts";

const NOW = 1_800_000_000_000;
const SAVED: FormConfig = { ...CONFIG, offersSavedCards: true };

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

/** A form whose steps are told. */
function drive(config: FormConfig = CONFIG) {
  const journey = createJourney();
  const told: [string, object][] = [];
  const store = createFormStore(config, {
    today: () => TODAY,
    drawn: (change) => change(),
    onStep: (step) =>
      told.push(...journey.events(step).map(({ name, data }) => [name, data] as [string, object])),
  });
  const form = {
    send: (...events: FormEvent[]) => {
      for (const event of events) store.send(event);
      return form;
    },
    type: (name: FormField, text: string) =>
      form.send({ type: "field", name, event: { type: "typed", text } }),
    focus: (name: FormField) => form.send({ type: "field-focused", name }),
    blur: (name: FormField) => form.send({ type: "field", name, event: { type: "blurred" } }),
    fill: () =>
      form.type("cardNumber", "4242 4242 4242 4242").type("expiry", "12 / 34").type("security", "123"),
    /** What was told since the last call. */
    told: () => told.splice(0),
    left: () => journey.left(store.state()),
  };
  return form;
}

/** A form that is filled in, whose filling was told already. */
function filled(config: FormConfig = CONFIG) {
  const form = drive(config).fill();
  form.told();
  return form;
}

describe("fields", () => {
  it("are reported on focus and blur, and once on input in between", () => {
    const form = drive().send({ type: "loaded" });
    form.focus("cardNumber").type("cardNumber", "4").type("cardNumber", "42").type("cardNumber", "424");
    form.blur("cardNumber").focus("cardNumber").type("cardNumber", "42").type("cardNumber", "42");
    expect(form.told()).toEqual([
      ["form_ready", {}],
      ["field_focus", { field: "card-number" }],
      ["field_input", { field: "card-number" }],
      ["field_blur", { field: "card-number", state: "ValidationError" }],
      ["field_error", { field: "card-number", error_id: "CardNumber_Invalid_Length" }],
      ["field_focus", { field: "card-number" }],
      ["field_input", { field: "card-number" }],
    ]);
  });

  it("are reported with each new error", () => {
    const form = drive();
    form.send({ type: "submit-attempted" }).send({ type: "submit-attempted" });
    expect(form.told()).toEqual([
      ["field_error", { field: "card-number", error_id: "CardNumber_Empty" }],
      ["field_error", { field: "card-expiry", error_id: "CardExpiry_Empty" }],
      ["field_error", { field: "card-security-code", error_id: "CardSecurityCode_EmptySecurityCode" }],
    ]);
  });

  it("report the brand when it is known, and when it changes", () => {
    const form = drive().type("cardNumber", "4242").type("cardNumber", "4242 4").type("cardNumber", "5555");
    form.type("cardNumber", "");
    expect(form.told().filter(([name]) => name === "brand_detected")).toEqual([
      ["brand_detected", { brand: "visa" }],
      ["brand_detected", { brand: "mastercard" }],
    ]);
  });

  it("report the last field of a shopper who leaves", () => {
    const form = drive().send({ type: "loaded" }).focus("expiry");
    expect(form.left()).toEqual({
      name: "page_left",
      data: { field: "card-expiry", ready: false, phase: "open" },
    });
    form.fill();
    expect(form.left().data.ready).toBe(true);
    expect(drive().left()).toEqual({ name: "page_left", data: { field: "", ready: false, phase: "open" } });
  });
});

describe("saved cards", () => {
  const listed: FormEvent = { type: "saved-cards-answered", cards: [savedCard("a"), savedCard("b")] };

  it("are reported by number and by choices, never by which card", () => {
    const form = drive(SAVED).send({ type: "loaded" }, listed);
    form.send({ type: "saved-card-selected", id: "b" }, { type: "saved-card-selected", id: "b" });
    form.focus("savedSecurity").type("savedSecurity", "123");
    form.send({ type: "method-chosen", method: "new" }, { type: "method-chosen", method: "saved" });
    expect(form.told()).toEqual([
      ["form_ready", {}],
      ["saved_cards_loaded", { count: 2 }],
      ["saved_card_selected", {}],
      ["field_focus", { field: "saved-card-security-code" }],
      ["field_input", { field: "saved-card-security-code" }],
      ["new_card_chosen", {}],
      ["saved_card_selected", {}],
    ]);
  });

  it("are reported when one is removed, and when its removal fails", () => {
    const form = drive(SAVED).send({ type: "loaded" }, listed);
    form.told();
    form.send({ type: "removal-asked", id: "a" }, { type: "removal-confirmed" });
    form.send({ type: "removal-answered", id: "a", removed: true });
    form.send({ type: "removal-asked", id: "b" }, { type: "removal-confirmed" });
    form.send({ type: "removal-answered", id: "b", removed: false });
    expect(form.told()).toEqual([
      ["saved_card_remove_asked", {}],
      ["saved_card_removed", {}],
      ["saved_card_remove_asked", {}],
      ["saved_cards_error", { trouble: "card_not_removed" }],
    ]);
  });

  it("that could not be loaded are reported, and saving a new card", () => {
    const form = drive({ ...SAVED, offersSaving: true }).send({ type: "saved-cards-answered", cards: null });
    form.send({ type: "save-card-chosen", saves: true });
    expect(form.told()).toEqual([
      ["saved_cards_error", { trouble: "saved_cards_error" }],
      ["save_card_toggled", { saves: true }],
    ]);
  });
});

describe("paying", () => {
  const submit: FormEvent = { type: "submit", clientSecret: "secret" };
  const charge = (
    status: "succeeded" | "failed" | "canceled",
    decline_code: string | null = null,
  ): FormEvent => ({
    type: "charge-seen",
    charge: { id: "ch_1", status, decline_code, shopper_action: null, return_url: null },
  });
  const waiting: FormEvent = {
    type: "charge-answered",
    answer: {
      kind: "taken",
      status: "waiting_for_shopper_action",
      shopperAction: { type: "challenge", url: "https://bank.example", width: 390, height: 400 },
    },
  };

  it("is reported from the press to the success", () => {
    const form = filled().send({ type: "submit", clientSecret: null });
    form.send({ type: "client-secret", clientSecret: "secret" });
    form.send({
      type: "charge-answered",
      answer: { kind: "taken", status: "succeeded", shopperAction: null },
    });
    expect(form.told()).toEqual([
      ["submit_invoked", { method: "new_card" }],
      ["submit_success", {}],
    ]);
  });

  it("with a saved card is reported as such", () => {
    const form = drive(SAVED).send({ type: "saved-cards-answered", cards: [savedCard("a")] });
    form.type("savedSecurity", "123").send(submit);
    expect(form.told().at(-1)).toEqual(["submit_invoked", { method: "saved_card" }]);
  });

  it.each<[FormEvent, object]>([
    [
      { type: "charge-answered", answer: { kind: "declined", declineCode: "insufficient_funds" } },
      { status: "failed", decline_code: "insufficient_funds" },
    ],
    [
      { type: "charge-answered", answer: { kind: "refused", code: "charge_mismatch" } },
      { status: "charge_mismatch" },
    ],
    [{ type: "charge-answered", answer: { kind: "unsent" } }, { status: "unsent" }],
    [
      { type: "charge-answered", answer: { kind: "taken", status: "canceled", shopperAction: null } },
      { status: "canceled" },
    ],
  ])("that fails by %j has the reason", (answer, data) => {
    expect(filled().send(submit, answer).told()).toEqual([
      ["submit_invoked", { method: "new_card" }],
      ["submit_fail", data],
    ]);
  });

  it("without a client secret fails, too", () => {
    const form = filled().send(
      { type: "submit", clientSecret: null },
      { type: "client-secret", clientSecret: null },
    );
    expect(form.told().at(-1)).toEqual(["submit_fail", { status: "client_secret_missing" }]);
  });

  it("with a challenge reports that it was shown and closed, and the end", () => {
    const form = filled().send(
      submit,
      waiting,
      { type: "challenge-closed" },
      charge("failed", "challenge_canceled"),
    );
    expect(form.told()).toEqual([
      ["submit_invoked", { method: "new_card" }],
      ["challenge_shown", {}],
      ["challenge_closed", {}],
      ["submit_fail", { status: "failed", decline_code: "challenge_canceled" }],
    ]);
    const passed = filled().send(submit, waiting, { type: "challenge-returned" }, charge("succeeded"));
    expect(passed.told().slice(1)).toEqual([
      ["challenge_shown", {}],
      ["submit_success", {}],
    ]);
  });

  it("of a charge that is over when the page opens is not reported", () => {
    expect(drive().send(charge("succeeded")).told()).toEqual([]);
  });

  it("that is asked for while something is missing is no submission", () => {
    const form = drive().send(submit);
    expect(form.told().map(([name]) => name)).toEqual(["field_error", "field_error", "field_error"]);
  });
});

describe("whatever is typed", () => {
  const fields = fc.constantFrom<FormField>(
    "cardNumber",
    "expiry",
    "security",
    "cardHolderName",
    "cardHolderEmail",
    "savedSecurity",
  );
  /** As shoppers type, and anything else; so long that no word or number of ours has it in it by chance. */
  const texts = fc.oneof(
    fc.stringMatching(/^[0-9]{13,19}$/),
    fc.stringMatching(/^[0-9]{4} [0-9]{4} [0-9]{4} [0-9]{4}$/),
    fc.stringMatching(/^[A-Z][a-z]{6,12} [A-Z][a-z]{6,12}$/),
    fc.emailAddress(),
    fc.string({ minLength: 8, maxLength: 40 }),
  );
  const events: fc.Arbitrary<FormEvent> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ name: fields, text: texts }).map(typed) },
    {
      weight: 2,
      arbitrary: fields.map((name): FormEvent => ({ type: "field", name, event: { type: "blurred" } })),
    },
    fields.map((name): FormEvent => ({ type: "field-focused", name })),
    fc.constantFrom<FormEvent>(
      { type: "loaded" },
      { type: "submit-attempted" },
      { type: "submit", clientSecret: "typed-secret" },
      { type: "submit", clientSecret: null },
      { type: "client-secret", clientSecret: "typed-secret" },
      { type: "charge-answered", answer: { kind: "declined", declineCode: "expired_card" } },
      { type: "charge-answered", answer: { kind: "unanswered" } },
      { type: "saved-cards-answered", cards: [savedCard("typed-card")] },
      { type: "saved-card-selected", id: "typed-card" },
      { type: "removal-asked", id: "typed-card" },
      { type: "removal-confirmed" },
      { type: "removal-answered", id: "typed-card", removed: false },
      { type: "method-chosen", method: "new" },
    ),
  );

  function typed({ name, text }: { readonly name: FormField; readonly text: string }): FormEvent {
    return { type: "field", name, event: { type: "typed", text } };
  }

  it("is in no event", () => {
    forAll(
      fc.property(fc.array(events, { maxLength: 40 }), (activity) => {
        const records: EventRecord[] = [];
        const told: unknown[] = [];
        const tracker = createTracker({
          namespace: "pay",
          visitor: createVisitor("c", 1, { cookies: inMemory(), storage: inMemory(), newId: () => "" }),
          unknown: false,
          start: NOW,
          about: () => ({
            fullUrl: "",
            ip: "",
            libraryVersion: "",
            domainName: "",
            userAgent: "",
            os: "",
            mobile: false,
            browser: "",
          }),
          engagementMs: () => 0,
          newId: () => "",
          add: (record) => records.push(record),
          log: () => {},
        });
        const journey = createJourney();
        const store = createFormStore(
          { ...SAVED, fields: [...SAVED.fields, "cardHolderName", "cardHolderEmail"], prefill: {} },
          {
            today: () => TODAY,
            drawn: (change) => change(),
            onStep: (step) => {
              for (const { name, data } of journey.events(step)) {
                told.push([name, data]);
                tracker.custom(step.at, name, data);
              }
            },
          },
        );
        for (const event of activity) store.send(event);
        const { name, data } = journey.left(store.state());
        tracker.custom(NOW, name, data);
        // Both what the journey says and what becomes of it.
        const posted = JSON.stringify([told, records]);
        const entered = activity.flatMap((event) =>
          event.type === "field" && event.event.type === "typed" ? [event.event.text] : [],
        );
        for (const text of [...entered, ...entered.map(digitsOf).filter(({ length }) => length >= 4)]) {
          expect(posted).not.toContain(JSON.stringify(text).slice(1, -1));
        }
        expect(posted).not.toContain("typed-");
      }),
      { numRuns: 500 },
    );
  });

  /** The time is in every event, and is a number, too. */
  function digitsOf(text: string): string {
    const digits = text.replaceAll(/\D/g, "");
    return String(NOW).includes(digits) ? "" : digits;
  }
});
