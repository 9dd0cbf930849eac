// While a charge is under way, what comes late, twice or unasked changes nothing.

import { describe, expect, test } from "vitest";

import type { ChargeStatus } from "../../generated/wire.ts";
import { driveForm } from "../../test/driven-form.ts";
import type { ChargeAnswer, FormEvent } from "./form.ts";

const SECRET: FormEvent = { type: "client-secret", clientSecret: "stray" };
const answered = (answer: ChargeAnswer): FormEvent => ({ type: "charge-answered", answer });
const seen = (status: ChargeStatus): FormEvent => ({
  type: "charge-seen",
  charge: { id: "ch_1", status, decline_code: null, return_url: null, shopper_action: null },
});

const charging = () => driveForm().fill().send({ type: "submit", clientSecret: "secret" });
const settling = (status: ChargeStatus) =>
  charging().send(answered({ kind: "taken", status, shopperAction: null }));

const UNDER_WAY = [
  ["with the server", charging],
  ["with the provider", () => settling("processing")],
  ["with an unknown outcome", () => settling("outcome_unknown")],
  ["with the shopper's bank", () => settling("waiting_for_shopper_action")],
] as const;

const STRAY: readonly (readonly [string, FormEvent])[] = [
  ["a client secret", SECRET],
  ["word that no client secret came", { type: "client-secret", clientSecret: null }],
  ["a look that finds nothing sent", seen("created")],
  ["another press", { type: "submit", clientSecret: "secret" }],
  ["another press without a client secret", { type: "submit", clientSecret: null }],
  ["a key", { type: "field", name: "security", event: { type: "typed", text: "999" }, atEnd: true }],
];

const SECOND_ANSWERS: readonly (readonly [string, ChargeAnswer])[] = [
  ["that it is paid", { kind: "taken", status: "succeeded", shopperAction: null }],
  ["that it waits", { kind: "taken", status: "processing", shopperAction: null }],
  ["that it was declined", { kind: "declined", declineCode: "generic_decline" }],
  ["that it was refused", { kind: "refused", code: "invalid_card" }],
  ["that there is none", { kind: "unanswered" }],
];

describe.each(UNDER_WAY)("a charge %s", (_, begin) => {
  test.each(STRAY)("is not changed by %s", (_, event) => {
    const form = begin();
    form.effects();
    const before = form.state();
    form.send(event);
    expect(form.state()).toEqual(before);
    expect(form.effects()).toEqual([]);
  });
});

describe.each([
  ["while it settles", () => settling("processing")],
  ["after it was paid", () => settling("succeeded")],
  ["after it was declined", () => charging().send(answered({ kind: "declined", declineCode: "x" }))],
] as const)("a second answer %s", (_, begin) => {
  test.each(SECOND_ANSWERS)("changes nothing: %s", (_, answer) => {
    const form = begin();
    form.effects();
    const before = form.state();
    form.send(answered(answer));
    expect(form.state()).toEqual(before);
    expect(form.effects()).toEqual([]);
  });
});

test("a client secret that is received twice charges once", () => {
  const form = driveForm().fill().send({ type: "submit", clientSecret: null });
  form
    .send({ type: "client-secret", clientSecret: "first" })
    .send({ type: "client-secret", clientSecret: "second" });
  expect(form.effects().filter(({ type }) => type === "charge")).toEqual([
    { type: "charge", clientSecret: "first" },
  ]);
});
