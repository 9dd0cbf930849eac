import { describe, expect, test } from "vitest";

import type { ShopperCharge } from "../../generated/wire.ts";
import { CONFIG, driveForm as start } from "../../test/driven-form.ts";
import { declineOf } from "../payments/charges.ts";
import type { FormEvent } from "./form.ts";

function seen(status: ShopperCharge["status"], decline_code: string | null = null): FormEvent {
  return {
    type: "charge-seen",
    charge: { id: "ch_1", status, decline_code, return_url: null, shopper_action: null },
    decline: declineOf(decline_code),
  };
}

const declinedAs = (declineCode: string) =>
  ({ kind: "declined", declineCode, decline: declineOf(declineCode) }) as const;

describe("readiness", () => {
  test("is posted once on loading and then only on a change", () => {
    const form = start().send({ type: "loaded" });
    expect(form.posted("form-ready-state")).toEqual([{ type: "form-ready-state", ready: false }]);
    form.fill();
    expect(form.posted("form-ready-state")).toEqual([{ type: "form-ready-state", ready: true }]);
    form.type("security", "12");
    expect(form.posted("form-ready-state")).toEqual([{ type: "form-ready-state", ready: false }]);
    form.type("security", "1");
    expect(form.posted("form-ready-state")).toEqual([]);
  });

  test("is not posted before the form has loaded", () => {
    const form = start().fill();
    expect(form.posted("form-ready-state")).toEqual([]);
    form.send({ type: "loaded" });
    expect(form.posted("form-ready-state")).toEqual([{ type: "form-ready-state", ready: true }]);
  });

  test("and typing wait while the merchant has disabled the form", () => {
    const form = start().send({ type: "loaded" }).fill();
    form.send({ type: "form-disabled", disabled: true });
    expect(form.ready()).toBe(false);
    form.type("security", "999");
    expect(form.state().fields.security.text).toBe("123");
    form.send({ type: "form-disabled", disabled: false });
    expect(form.ready()).toBe(true);
  });

  test("asks for every shown field, and hidden ones count as complete", () => {
    const named = start({ ...CONFIG, fields: [...CONFIG.fields, "cardHolderName"] });
    expect(named.fill().ready()).toBe(false);
    expect(named.type("cardHolderName", "Ana").ready()).toBe(true);
    expect(start().fill().ready()).toBe(true);
  });

  test("a prefilled field is complete from the start", () => {
    const form = start({
      ...CONFIG,
      fields: [...CONFIG.fields, "cardHolderEmail"],
      prefill: { cardHolderEmail: "sam@example.com" },
    });
    expect(form.state().fields.cardHolderEmail.state).toBe("CompletedAndValid");
    expect(form.fill().ready()).toBe(true);
  });

  test("falls when the form is emptied, except for its prefilled texts", () => {
    const config = { ...CONFIG, fields: [...CONFIG.fields, "cardHolderEmail"] as const };
    const form = start({ ...config, prefill: { cardHolderEmail: "sam@example.com" } });
    const untouched = form.state().fields;
    form.fill().type("cardNumber", "4242 4242 4242 4241");
    form.type("cardHolderEmail", "").send({ type: "form-cleared" });
    expect(form.state().fields).toEqual(untouched);
    expect(form.ready()).toBe(false);
  });

  test("falls when the number turns to a brand with a longer security code", () => {
    const form = start().fill();
    expect(form.ready()).toBe(true);
    form.type("cardNumber", "3782 8224 6310 005");
    expect(form.state().fields.security.state).toBe("ValidationError");
    expect(form.ready()).toBe(false);
    expect(form.type("security", "1234").ready()).toBe(true);
  });
});

describe("moving on", () => {
  const focused = (form: ReturnType<typeof start>) =>
    form.effects().flatMap((effect) => (effect.type === "focus" ? [effect.field] : []));

  test("the focus moves on when typing at a field's end completes it", () => {
    const form = start().type("cardNumber", "4242 4242 4242 424");
    expect(focused(form)).toEqual([]);
    expect(focused(form.type("cardNumber", "4242 4242 4242 4242"))).toEqual(["expiry"]);
    expect(focused(form.type("expiry", "12 / 34"))).toEqual(["security"]);
    expect(focused(form.type("security", "123"))).toEqual([]);
  });

  test("not when the caret is elsewhere, as in a correction", () => {
    expect(focused(start().type("cardNumber", "4242 4242 4242 4242", false))).toEqual([]);
  });

  test("once only, until the field is emptied or becomes invalid", () => {
    const form = start().type("cardNumber", "4242 4242 4242 4242");
    form.effects();
    const longer = form
      .type("cardNumber", "4242 4242 4242 4242 0")
      .type("cardNumber", "4242 4242 4242 4242 006");
    expect(focused(longer)).toEqual([]);
    // Taking a digit away on the way to another is neither.
    form.type("cardNumber", "4242 4242 4242 424");
    expect(focused(form.type("cardNumber", "4242 4242 4242 4242"))).toEqual([]);
    for (const text of ["", "4242 4242 4242 4241"]) {
      form.type("cardNumber", text);
      expect(focused(form.type("cardNumber", "4242 4242 4242 4242"))).toEqual(["expiry"]);
    }
  });
});

describe("a card number moves the focus on", () => {
  const focused = (text: string, luhn = true) => {
    const form = start({ ...CONFIG, experiments: { ...CONFIG.experiments, luhn } });
    return form
      .type("cardNumber", text)
      .effects()
      .some(({ type }) => type === "focus");
  };

  test.each([
    ["3782 8224 6310 005", true],
    ["3622 7206 2716 67", true],
    ["3056 9300 0902 0004", true],
    ["6200 0000 0000 000", false],
    ["6200 0000 0000 0005", false],
    ["6205 5000 0000 0000 004", true],
    ["6759 6498 2643 8453", false],
    ["4242 4242 4242 4242", true],
    ["4000 0000 0000 0000 06", false],
    ["4242 4242 4242 4242 006", true],
  ])("%s: %s, with the Luhn experiment and without", (text, moves) => {
    expect(focused(text)).toBe(moves);
    expect(focused(text, false)).toBe(moves);
  });
});

describe("a submit attempt while the form is not ready", () => {
  test("makes untouched fields Empty and focuses the first that is wrong", () => {
    const form = start().type("cardNumber", "4242 4242 4242 4242");
    form.effects();
    form.send({ type: "submit-attempted" });
    const { cardNumber, expiry, security } = form.state().fields;
    expect([cardNumber.state, expiry.state, security.state]).toEqual(["CompletedAndValid", "Empty", "Empty"]);
    expect([expiry.errorId, security.errorId]).toEqual([
      "CardExpiry_Empty",
      "CardSecurityCode_EmptySecurityCode",
    ]);
    expect(form.effects()).toContainEqual({ type: "focus", field: "expiry" });
  });

  test("a submit-ready from the parent charges nothing and gets the errors", () => {
    const form = start().type("cardNumber", "4242 4242 4242 4242").type("expiry", "13 / 34");
    form.effects();
    form.send({ type: "submit", clientSecret: "secret" });
    expect(form.state().submission.phase).toBe("open");
    expect(form.state().failure).toBeNull();
    const effects = form.effects();
    expect(effects).toContainEqual({ type: "focus", field: "expiry" });
    expect(effects.some((effect) => effect.type === "charge")).toBe(false);
    const failure = { messageKey: "CardExpiry_MonthOutOfRange" };
    expect(effects.filter((effect) => effect.type === "post-result")).toEqual([
      { type: "post-result", failure, notReady: true },
    ]);
  });

  test("a submit-not-ready gets no answer", () => {
    const form = start().send({ type: "submit-attempted" });
    expect(form.effects().some((effect) => effect.type === "post-result")).toBe(false);
  });
});

describe("submission", () => {
  const submitted = () => {
    const form = start().send({ type: "loaded" }).fill();
    form.effects();
    return form.send({ type: "submit", clientSecret: "secret" });
  };

  test("disables the form, is not ready and charges with the client secret", () => {
    const form = submitted();
    expect(form.state().submission).toEqual({ phase: "charging", clientSecret: "secret" });
    expect(form.effects()).toEqual([
      { type: "charge", clientSecret: "secret" },
      { type: "post", message: { type: "form-ready-state", ready: false } },
    ]);
    form.type("security", "999");
    expect(form.state().fields.security.text).toBe("123");
  });

  test("a second submit while one is under way is not a second charge", () => {
    const form = submitted();
    form.effects();
    form.send({ type: "submit", clientSecret: "secret" });
    expect(form.effects()).toEqual([]);
  });

  test("asks for a missing client secret, and charges when it has one", () => {
    const form = start().fill().send({ type: "submit", clientSecret: null });
    expect(form.effects()).toContainEqual({ type: "request-client-secret" });
    form.send({ type: "client-secret", clientSecret: "late" });
    expect(form.effects()).toContainEqual({ type: "charge", clientSecret: "late" });
  });

  test("fails without a client secret, and is ready again", () => {
    const form = start()
      .fill()
      .send({ type: "submit", clientSecret: null })
      .send({ type: "client-secret", clientSecret: null });
    expect(form.state().failure?.messageKey).toBe("processing_error");
    expect(form.ready()).toBe(true);
  });

  test("reports success and stays closed", () => {
    const form = submitted();
    form.effects();
    form.send({
      type: "charge-answered",
      answer: { kind: "taken", status: "succeeded", shopperAction: null },
    });
    expect(form.effects()).toEqual([{ type: "post-result", failure: null }]);
    expect(form.ready()).toBe(false);
    form.send({ type: "submit", clientSecret: "secret" });
    expect(form.effects()).toEqual([{ type: "post-result", failure: null }]);
  });

  test("is refused once the charge is over without having been paid", () => {
    const form = start().fill().send(seen("canceled"));
    form.effects();
    form.send({ type: "submit", clientSecret: "secret" });
    const failure = { messageKey: "charge_canceled", errorCode: "charge-canceled" };
    expect(form.effects()).toEqual([{ type: "post-result", failure }]);
  });

  test("reports failure, keeps the number, and is ready again", () => {
    const form = submitted();
    form.effects();
    form.send({ type: "charge-answered", answer: declinedAs("insufficient_funds") });
    const failure = { messageKey: "insufficient_funds", declineCode: "insufficient_funds" };
    expect(form.effects()).toEqual([
      { type: "post-result", failure },
      { type: "post", message: { type: "form-ready-state", ready: true } },
    ]);
    expect(form.state().fields.cardNumber.text).toBe("4242 4242 4242 4242");
    expect(form.state().failure).toEqual(failure);
    form.type("cardNumber", "5555 5555 5555 4444");
    expect(form.state().failure).toBeNull();
  });

  test.each([
    ["expired_card", "expiry", "CardExpiry_Expired"],
    ["incorrect_cvc", "security", "CardSecurityCode_IncompleteSecurityCode"],
  ] as const)("a decline of %s marks and focuses the field it is about", (declineCode, field, errorId) => {
    const form = submitted();
    form.effects();
    form.send({ type: "charge-answered", answer: declinedAs(declineCode) });
    expect(form.state().fields[field]).toMatchObject({ state: "ValidationError", errorId });
    expect(form.effects()).toContainEqual({ type: "focus", field });
    expect(form.ready()).toBe(false);
  });

  test("a decline code that is not known shows the generic text", () => {
    const form = submitted().send({
      type: "charge-answered",
      answer: declinedAs("what"),
    });
    expect(form.state().failure?.messageKey).toBe("processing_error");
    expect(form.ready()).toBe(true);
  });

  test("no answer is an unknown outcome, which is checked and is no failure", () => {
    const form = submitted();
    form.effects();
    form.send({ type: "charge-answered", answer: { kind: "unanswered" } });
    expect(form.effects()).toEqual([
      {
        type: "post",
        message: { type: "charge-changed", status: "outcome_unknown", shopper_action: null },
      },
      { type: "watch-charge" },
    ]);
    expect(form.ready()).toBe(false);
    form.send({ type: "never-arrived" });
    expect(form.state().failure).toMatchObject({
      messageKey: "payment_not_made",
      errorCode: "connection-lost",
    });
    expect(form.ready()).toBe(true);
  });

  test("a press that could not be prepared was not sent", () => {
    const form = submitted().send({ type: "never-arrived" });
    expect(form.state().failure).toMatchObject({
      messageKey: "payment_not_made",
      errorCode: "connection-lost",
    });
    expect(form.ready()).toBe(true);
  });

  test("a client secret refused while settling is told once, not as a failure", () => {
    const form = submitted().send({ type: "charge-answered", answer: { kind: "unanswered" } });
    form.effects();
    form.send({ type: "look-refused", code: "client_secret_expired" });
    expect(form.effects()).toEqual([
      {
        type: "post-result",
        failure: { messageKey: "outcome_checking_text", errorCode: "client-secret-expired" },
      },
    ]);
    expect(form.state().submission).toMatchObject({ phase: "settling", status: "outcome_unknown" });
    expect(form.ready()).toBe(false);
    form.send({ type: "look-refused", code: "client_secret_expired" });
    expect(form.effects()).toEqual([]);
    // The outcome is still told when the form can read it after all.
    form.send(seen("succeeded"));
    expect(form.effects()).toContainEqual({ type: "post-result", failure: null });
  });

  test("without a connection nothing was sent, and trying again helps", () => {
    const form = submitted().send({ type: "charge-answered", answer: { kind: "unsent" } });
    expect(form.state().failure).toMatchObject({ messageKey: "offline", errorCode: "offline" });
    expect(form.ready()).toBe(true);
  });

  test.each([
    ["client_secret_expired", "secret_expired", "client-secret-expired"],
    ["client_secret_invalid", "secret_invalid", "client-secret-invalid"],
    ["charge_mismatch", "secret_foreign", "client-secret-foreign"],
    ["partner_mismatch", "secret_foreign", "client-secret-foreign"],
    ["charge_not_found", "secret_invalid", "client-secret-invalid"],
  ] as const)("a refusal of %s has a text and a code of its own", (code, messageKey, errorCode) => {
    const answered: FormEvent = { type: "charge-answered", answer: { kind: "refused", code } };
    const framed = submitted().send(answered);
    expect(framed.state().failure).toMatchObject({ messageKey, errorCode });
    expect(framed.ready()).toBe(true);

    // The payment page has no other client secret, so nobody can pay there any more.
    const page = start({ ...CONFIG, secretInAddress: true }).fill();
    page.send({ type: "submit", clientSecret: "secret" }).send(answered);
    expect(page.state().submission).toEqual({ phase: "closed", status: "unusable_link" });
    const opened = start({ ...CONFIG, secretInAddress: true }).send({ type: "look-refused", code });
    expect(opened.state().submission).toEqual({ phase: "closed", status: "unusable_link" });
    expect(opened.state().failure).toMatchObject({ messageKey, errorCode });
    expect(start().send({ type: "look-refused", code }).state().submission.phase).toBe("open");
  });

  test("after too many tries the message has the minutes to wait, rounded up", () => {
    const answer = { kind: "refused", code: "too_many_requests" } as const;
    for (const [retryAfterSeconds, minutes] of [
      [1, 1],
      [60, 1],
      [61, 2],
    ] as const) {
      const form = submitted().send({ type: "charge-answered", answer: { ...answer, retryAfterSeconds } });
      expect(form.state().failure).toMatchObject({ messageKey: "too_many_tries", values: { minutes } });
      expect(form.ready()).toBe(true);
    }
  });

  test("a field that only the server refuses shows why", () => {
    const form = submitted();
    const answer = {
      kind: "refused",
      code: "invalid_card",
      field: "payment_method.card.expiration_year",
    } as const;
    form.send({ type: "charge-answered", answer: { ...answer, reason: "CardExpiry_Expired" } });
    expect(form.state().fields.expiry).toMatchObject({
      state: "ValidationError",
      errorId: "CardExpiry_Expired",
    });
  });
});

describe("an outcome that is not known yet", () => {
  const settling = (status: "processing" | "outcome_unknown" | "waiting_for_shopper_action") => {
    const form = start().fill().send({ type: "submit", clientSecret: "secret" });
    form.effects();
    return form.send({ type: "charge-answered", answer: { kind: "taken", status, shopperAction: null } });
  };

  test.each(["processing", "outcome_unknown", "waiting_for_shopper_action"] as const)(
    "%s is told to the parent and watched; nobody can pay meanwhile",
    (status) => {
      const form = settling(status);
      expect(form.effects()).toEqual([
        { type: "post", message: { type: "charge-changed", status, shopper_action: null } },
        { type: "watch-charge" },
      ]);
      form.send({ type: "submit", clientSecret: "secret" });
      expect(form.effects()).toEqual([]);
    },
  );

  test("ends with success, or with a decline that opens the form again", () => {
    const paid = settling("processing");
    paid.effects();
    paid.send(seen("processing"));
    expect(paid.effects()).toEqual([]);
    paid.send(seen("succeeded"));
    expect(paid.effects()).toEqual([{ type: "post-result", failure: null }]);

    const declined = settling("outcome_unknown").send(seen("failed", "generic_decline"));
    expect(declined.state().failure?.declineCode).toBe("generic_decline");
    expect(declined.ready()).toBe(true);
  });

  test("knows whether it was paid in this page", () => {
    const paid = { phase: "closed", status: "succeeded", paidHere: true };
    expect(settling("processing").send(seen("succeeded")).state().submission).toEqual(paid);
    const taken = { kind: "taken", status: "succeeded", shopperAction: null } as const;
    const charging = start().fill().send({ type: "submit", clientSecret: "secret" });
    expect(charging.send({ type: "charge-answered", answer: taken }).state().submission).toEqual(paid);
  });

  test("a page of a paid charge is closed, of a payable one open", () => {
    expect(start().send(seen("succeeded")).state().submission).toEqual({
      phase: "closed",
      status: "succeeded",
    });
    expect(start().send(seen("canceled")).state().submission).toEqual({
      phase: "closed",
      status: "canceled",
    });
    expect(start().send(seen("failed", "generic_decline")).state().failure).toBeNull();
    expect(start().send(seen("created")).state().submission.phase).toBe("open");
  });
});

test("field actions name the field and never its value", () => {
  const form = start().send({ type: "field-focused", name: "cardNumber" });
  form.type("cardNumber", "4242 4242 4242 4241");
  form.send({ type: "field", name: "cardNumber", event: { type: "blurred" } });
  const posted = form.posted("field-action");
  expect(posted.map((message) => message.type === "field-action" && [message.action, message.field])).toEqual(
    [
      ["cardFormInputFocused", "card-number"],
      ["cardFormInputChanged", "card-number"],
      ["cardFormInputError", "card-number"],
      ["cardFormInputBlurred", "card-number"],
    ],
  );
  expect(JSON.stringify(posted)).not.toContain("4242");
});
