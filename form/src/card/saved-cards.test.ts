// Saved versus new card, readiness and removal, as the shopper goes through them (docs/saved-cards.md).

import { describe, expect, test } from "vitest";
import { driveForm, CONFIG as NEW_CARDS_ONLY, savedCard } from "../../test/driven-form.ts";
import { declineOf } from "../payments/charges.ts";
import type { FormConfig, ListedCard } from "./form.ts";

const CONFIG = { ...NEW_CARDS_ONLY, offersSavedCards: true, savedCardsCount: 2, offersSaving: true };
const UNCOUNTED = { ...CONFIG, savedCardsCount: null };
const VISA = savedCard("pm_visa");
const AMEX = savedCard("pm_amex", { brand: "american-express", lastFour: "0005" });
const EXPIRED = savedCard("pm_old", { expirationMonth: 10 });

/** A form that has loaded, and whose list has come where it is given. */
function start(cards?: readonly ListedCard[] | null, config: FormConfig = CONFIG) {
  const form = driveForm(config).send({ type: "loaded" });
  return cards === undefined ? form : form.send({ type: "saved-cards-answered", cards });
}

describe("loading", () => {
  test("asks for the list only where saved cards are offered", () => {
    expect(start().effects()).toContainEqual({ type: "list-saved-cards" });
    const without = start(undefined, { ...CONFIG, offersSavedCards: false });
    expect(without.effects()).not.toContainEqual({ type: "list-saved-cards" });
    expect(without.state().method).toBe("new");
  });

  test("a shopper without saved cards gets the new-card form, and no request", () => {
    const form = start(undefined, { ...CONFIG, savedCardsCount: 0 });
    expect(form.state()).toMatchObject({ method: "new", saved: { list: "loaded", cards: [] } });
    expect(form.effects()).not.toContainEqual({ type: "list-saved-cards" });
  });

  test("uncounted cards replace a new-card form that was not begun", () => {
    const form = start(undefined, UNCOUNTED);
    expect(form.effects()).toContainEqual({ type: "list-saved-cards" });
    expect(form.state()).toMatchObject({ method: "new", saved: { list: "awaited" } });
    form.send({ type: "saved-cards-answered", cards: [VISA] });
    expect(form.state()).toMatchObject({ method: "saved", saved: { selected: "pm_visa", late: false } });
  });

  test.each([
    [{ type: "field-focused", name: "cardNumber" }],
    [{ type: "field", name: "cardNumber", event: { type: "typed", text: "4" } }],
    [{ type: "submit-attempted" }],
    [{ type: "save-card-chosen", saves: true }],
  ] as const)("after %o cards that come late leave the new-card form where it is", (event) => {
    const form = start(undefined, UNCOUNTED).send(event);
    form.send({ type: "saved-cards-answered", cards: [VISA] });
    expect(form.state()).toMatchObject({ method: "new", saved: { cards: [VISA], late: true } });
  });

  test("the new-card form replaces a late list, which may still come", () => {
    const form = start().send({ type: "saved-cards-overdue" });
    expect(form.state()).toMatchObject({ method: "new", saved: { list: "awaited", trouble: null } });
    form.send({ type: "saved-cards-answered", cards: [VISA] });
    expect(form.state().method).toBe("saved");
    expect(start([VISA]).send({ type: "saved-cards-overdue" }).state().method).toBe("saved");
  });

  test("preselects the first card, and the new-card form is not shown", () => {
    const form = start([VISA, AMEX]);
    expect(form.state()).toMatchObject({ method: "saved", saved: { list: "loaded", selected: "pm_visa" } });
  });

  test("passes over expired cards; with those only, a new card is asked for", () => {
    expect(start([EXPIRED, AMEX]).state().saved.selected).toBe("pm_amex");
    const form = start([EXPIRED]);
    expect(form.state()).toMatchObject({ method: "new", saved: { selected: null } });
    form.send({ type: "method-chosen", method: "saved" });
    expect(form.state().method).toBe("saved");
    expect(form.state().saved.selected).toBeNull();
    expect(form.ready()).toBe(false);
  });

  test("an expired card is renewed with its new date and its code", () => {
    const form = start([EXPIRED, AMEX]).send({ type: "saved-card-selected", id: "pm_old" });
    expect(form.state().saved).toMatchObject({ selected: "pm_old", renews: true });
    form.type("savedSecurity", "123");
    expect(form.ready()).toBe(false);
    form.type("savedExpiry", "01 / 26");
    expect(form.state().fields.savedExpiry.errorId).toBe("CardExpiry_Expired");
    form.type("savedExpiry", "12 / 30");
    expect(form.ready()).toBe(true);
    // Another card has fields of its own.
    form.send({ type: "saved-card-selected", id: "pm_amex" });
    expect(form.state()).toMatchObject({
      saved: { renews: false },
      fields: { savedExpiry: { text: "" }, savedSecurity: { text: "" } },
    });
    form.send({ type: "saved-card-selected", id: "pm_old" }).send({ type: "submit-attempted" });
    expect(form.effects()).toContainEqual({ type: "focus", field: "savedExpiry" });
  });

  test("shows the new-card form without cards, with an error if it failed", () => {
    expect(start([]).state()).toMatchObject({ method: "new", saved: { trouble: null } });
    expect(start(null).state()).toMatchObject({ method: "new", saved: { trouble: "saved_cards_error" } });
  });

  test("keeps the new card of a shopper who did not wait", () => {
    const form = start().send({ type: "method-chosen", method: "new" }).fill();
    form.send({ type: "saved-cards-answered", cards: [VISA] });
    expect(form.state().method).toBe("new");
    expect(form.ready()).toBe(true);
  });

  test("a second answer changes nothing", () => {
    expect(start([VISA]).send({ type: "saved-cards-answered", cards: null }).ids()).toEqual(["pm_visa"]);
  });
});

describe("pressing pay without a card that can pay", () => {
  test.each(["submit-attempted", "enter-pressed"] as const)("leads to a new card after %s", (type) => {
    const form = start([EXPIRED]).send({ type: "method-chosen", method: "saved" }).send({ type });
    expect(form.state()).toMatchObject({ method: "new", saved: { trouble: "card_unavailable" } });
    expect(form.effects()).toContainEqual({ type: "focus-method" });
    // The expired card can still be removed.
    expect(form.state().saved.cards).toEqual([EXPIRED]);
  });
});

describe("a list that could not be loaded", () => {
  test("is asked for again, and shown when it comes", () => {
    const form = start(null).send({ type: "list-retried" });
    expect(form.effects().filter(({ type }) => type === "list-saved-cards")).toHaveLength(2);
    expect(form.state()).toMatchObject({ method: "saved", saved: { list: "loading", trouble: null } });
    form.send({ type: "saved-cards-answered", cards: [VISA] });
    expect(form.state()).toMatchObject({ method: "saved", saved: { selected: "pm_visa" } });
  });
});

describe("readiness", () => {
  test("asks for the selected card's security code and nothing else", () => {
    const form = start([VISA]);
    expect(form.ready()).toBe(false);
    expect(form.type("savedSecurity", "12").ready()).toBe(false);
    expect(form.type("savedSecurity", "123").ready()).toBe(true);
  });

  test("takes as many digits as the saved card's brand has", () => {
    expect(start([AMEX]).type("savedSecurity", "123").ready()).toBe(false);
    expect(start([AMEX]).type("savedSecurity", "1234").ready()).toBe(true);
  });

  test("is posted when another card is chosen, and security codes are cleared", () => {
    const form = start([VISA, AMEX]).type("savedSecurity", "123");
    form.effects();
    form.send({ type: "saved-card-selected", id: "pm_amex" });
    expect(form.effects()).toContainEqual({
      type: "post",
      message: { type: "form-ready-state", ready: false },
    });
    expect(form.state().fields.savedSecurity.text).toBe("");
  });

  test("an attempt without a code marks it and focuses it", () => {
    const form = start([VISA]).send({ type: "submit-attempted" });
    expect(form.state().fields.savedSecurity).toMatchObject({
      state: "Empty",
      errorId: "CardSecurityCode_EmptySecurityCode",
    });
    expect(form.state().fields.security.state).toBe("Ready");
    expect(form.effects()).toContainEqual({ type: "focus", field: "savedSecurity" });
  });
});

describe("the divider", () => {
  test("goes to a new card, clears the selection, and back to the first card", () => {
    const form = start([VISA, AMEX]).send({ type: "saved-card-selected", id: "pm_amex" });
    form.send({ type: "method-chosen", method: "new" });
    expect(form.state()).toMatchObject({ method: "new", saved: { selected: null } });
    form.fill().send({ type: "method-chosen", method: "saved" });
    expect(form.state()).toMatchObject({ method: "saved", saved: { selected: "pm_visa" } });
    expect(form.ready()).toBe(false);
    expect(form.effects().filter(({ type }) => type === "focus-method")).toHaveLength(2);
  });

  test("keeps the typed text of the new card", () => {
    const form = start([VISA]).send({ type: "method-chosen", method: "new" }).fill();
    form.send({ type: "method-chosen", method: "saved" }).send({ type: "method-chosen", method: "new" });
    expect(form.ready()).toBe(true);
  });
});

describe("removal", () => {
  test("happens only when it is confirmed", () => {
    const form = start([VISA]).send({ type: "removal-asked", id: "pm_visa" });
    expect(form.state().saved.confirming).toBe("pm_visa");
    expect(form.send({ type: "removal-canceled" }).ids()).toEqual(["pm_visa"]);
    expect(form.send({ type: "removal-confirmed" }).ids()).toEqual(["pm_visa"]);
  });

  test("removes the card from the list at once and shows the snackbar", () => {
    const form = start([VISA, AMEX]).remove("pm_amex");
    expect(form.ids()).toEqual(["pm_visa"]);
    expect(form.state().saved).toMatchObject({ selected: "pm_visa", saidRemoved: true });
    expect(form.effects()).toContainEqual({ type: "remove-saved-card", id: "pm_amex" });
    form.send({ type: "removal-answered", id: "pm_amex", removed: true });
    expect(form.send({ type: "snackbar-dismissed" }).state().saved.saidRemoved).toBe(false);
  });

  test("of a second card is told by a snackbar of its own", () => {
    const form = start([VISA, AMEX]).remove("pm_amex").send({ type: "removal-asked", id: "pm_visa" });
    expect(form.state().saved.saidRemoved).toBe(false);
    expect(form.send({ type: "removal-confirmed" }).state().saved.saidRemoved).toBe(true);
  });

  test("is no longer asked about once the shopper pays", () => {
    for (const clientSecret of [null, "secret"]) {
      const form = start([VISA, AMEX]).type("savedSecurity", "123");
      form.send({ type: "removal-asked", id: "pm_amex" }).send({ type: "submit", clientSecret });
      expect(form.state().saved.confirming).toBeNull();
    }
  });

  test("shows no snackbar without the experiment", () => {
    const form = start([VISA, AMEX], { ...CONFIG, saysRemoved: false }).remove("pm_amex");
    expect(form.state().saved.saidRemoved).toBe(false);
  });

  test("of the selected card clears the new card and selects the next usable", () => {
    const form = start([VISA, EXPIRED, AMEX]).fill().type("savedSecurity", "123").remove("pm_visa");
    expect(form.state()).toMatchObject({ method: "saved", saved: { selected: "pm_amex" } });
    expect(form.texts().join("")).toBe("");
  });

  test("of another card keeps the selection and its security code", () => {
    const form = start([VISA, AMEX]).type("savedSecurity", "123").remove("pm_amex");
    expect(form.ready()).toBe(true);
  });

  test("of the last card selects the new-card form, with prefilled texts", () => {
    const form = start([VISA], {
      ...CONFIG,
      fields: [...CONFIG.fields, "cardHolderEmail"],
      prefill: { cardHolderEmail: "sam@example.com" },
    });
    form.fill().remove("pm_visa");
    expect(form.state().method).toBe("new");
    expect(form.state().fields.cardNumber.text).toBe("");
    expect(form.state().fields.cardHolderEmail.text).toBe("sam@example.com");
  });

  test("that the server refuses brings the card back, with an error", () => {
    const form = start([VISA, EXPIRED, AMEX]).remove("pm_old");
    form.send({ type: "removal-answered", id: "pm_old", removed: false });
    expect(form.ids()).toEqual(["pm_visa", "pm_old", "pm_amex"]);
    expect(form.state().saved).toMatchObject({ saidRemoved: false, trouble: "card_not_removed" });
  });

  test("of two cards at once is answered for each", () => {
    const form = start([VISA, AMEX]).remove("pm_visa").remove("pm_amex");
    form.send({ type: "removal-answered", id: "pm_visa", removed: false });
    form.send({ type: "removal-answered", id: "pm_amex", removed: true });
    expect(form.ids()).toEqual(["pm_visa"]);
  });
});

describe("paying with a saved card", () => {
  const submitted = () => {
    const form = start([VISA, AMEX]).type("savedSecurity", "123");
    form.send({ type: "submit", clientSecret: "secret" });
    form.effects();
    return form;
  };

  test("changes nothing while it is under way", () => {
    const form = submitted();
    const before = form.state();
    form.send({ type: "saved-card-selected", id: "pm_amex" });
    form.send({ type: "method-chosen", method: "new" });
    form.remove("pm_amex");
    expect(form.state()).toBe(before);
  });

  test("a submit-ready before the form is ready is answered with the error", () => {
    const told = (form: ReturnType<typeof start>) => {
      form.effects();
      form.send({ type: "submit", clientSecret: "secret" });
      return form.effects().flatMap((effect) => (effect.type === "post-result" ? [effect.failure] : []));
    };
    expect(told(start())).toEqual([{ messageKey: "processing_error" }]);
    expect(told(start([VISA]))).toEqual([{ messageKey: "CardSecurityCode_EmptySecurityCode" }]);
    const expired = start([EXPIRED]).send({ type: "method-chosen", method: "saved" });
    expect(told(expired)).toEqual([{ messageKey: "card_unavailable" }]);
  });

  test("a wrong security code is asked for again, for that card", () => {
    const form = submitted();
    form.send({
      type: "charge-answered",
      answer: {
        kind: "declined",
        declineCode: "incorrect_cvc",
        decline: declineOf("incorrect_cvc"),
      },
    });
    expect(form.state().fields.savedSecurity.state).toBe("ValidationError");
    expect(form.state().fields.security.state).toBe("Ready");
    expect(form.effects()).toContainEqual({ type: "focus", field: "savedSecurity" });
  });

  test("a card unknown to the server leaves the list for the new-card form", () => {
    const form = submitted();
    const answer = { kind: "refused", code: "payment_method_not_found" } as const;
    form.send({ type: "charge-answered", answer });
    expect(form.ids()).toEqual(["pm_amex"]);
    expect(form.state()).toMatchObject({
      method: "new",
      submission: { phase: "open" },
      failure: { messageKey: "card_unavailable" },
      saved: { trouble: "card_unavailable" },
    });
    expect(form.effects()).toContainEqual({ type: "focus-method" });
  });
});

describe("the challenge of 3-D Secure", () => {
  const challenged = () => {
    const form = start([]).fill().send({ type: "submit", clientSecret: "secret" });
    form.send({
      type: "charge-answered",
      answer: {
        kind: "taken",
        status: "waiting_for_shopper_action",
        shopperAction: { type: "redirect", url: "https://bank.example/" },
      },
    });
    form.effects();
    return form;
  };

  test("that was answered is over, and the server is asked how it ended", () => {
    const form = challenged().send({ type: "challenge-returned" });
    expect(form.state().submission).toMatchObject({ phase: "settling", shopperAction: null });
    expect(form.effects()).toEqual([{ type: "look-at-charge" }]);
    expect(form.send({ type: "challenge-returned" }).effects()).toEqual([]);
  });

  test("that was closed is canceled at the server before the next payment", () => {
    const form = challenged().send({ type: "challenge-closed" });
    expect(form.state().submission).toMatchObject({ phase: "settling", shopperAction: null });
    expect(form.effects()).toEqual([{ type: "cancel-challenge" }]);
    expect(form.send({ type: "challenge-closed" }).effects()).toEqual([]);
    const canceled = {
      id: "ch_1",
      status: "failed",
      decline_code: "authentication_canceled",
      return_url: null,
      shopper_action: null,
    } as const;
    const decline = declineOf(canceled.decline_code);
    expect(form.send({ type: "charge-seen", charge: canceled, decline }).state()).toMatchObject({
      submission: { phase: "open" },
      failure: { messageKey: "challenge_canceled", declineCode: "authentication_canceled" },
    });
  });

  test("that was closed after the answer to the bank ends as the server says", () => {
    const form = challenged().send({ type: "challenge-closed" });
    const charge = {
      id: "ch_1",
      status: "succeeded",
      decline_code: null,
      return_url: null,
      shopper_action: null,
    } as const;
    expect(form.send({ type: "charge-seen", charge }).state().submission.phase).toBe("closed");
  });

  test("is shown again when the page is opened while the charge waits", () => {
    const shopper_action = {
      type: "challenge",
      url: "https://bank.example/",
      width: 390,
      height: 400,
    } as const;
    const charge = {
      id: "ch_1",
      status: "waiting_for_shopper_action",
      decline_code: null,
      return_url: null,
      shopper_action,
    } as const;
    const form = start([]).send({ type: "charge-seen", charge });
    expect(form.state().submission).toMatchObject({ phase: "settling", shopperAction: shopper_action });
  });

  test.each([
    ["authentication_failed", "challenge_failed"],
    ["authentication_canceled", "challenge_canceled"],
    ["authentication_timed_out", "challenge_timed_out"],
  ] as const)("%s is told apart", (decline_code, messageKey) => {
    const charge = {
      id: "ch_1",
      status: "failed",
      decline_code,
      return_url: null,
      shopper_action: null,
    } as const;
    const decline = declineOf(charge.decline_code);
    const form = challenged().send({ type: "charge-seen", charge, decline });
    expect(form.state().failure?.messageKey).toBe(messageKey);
  });
});

test("the choice to save the card is kept", () => {
  expect(start([]).send({ type: "save-card-chosen", saves: true }).state().savesCard).toBe(true);
});
