import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { FormPage } from "../generated/wire.ts";
import { CONFIG, TODAY } from "../test/driven-form.ts";
import type { FormEvent } from "./card/form.ts";
import { Charging } from "./charging.ts";
import { createFormStore } from "./form-store.ts";
import { createLanguageStore } from "./i18n/language.ts";
import { ClientSecrets } from "./payments/client-secrets.ts";

const SECRET = `header.${btoa('{"sub":"partner_1","charge_id":"ch_1"}')}.signature`;
const PAGE = {
  intent: { chargeId: "ch_1", partnerId: "partner_1", amountValue: 1250 },
  service: { base: "", direct_charges: "/v1/pub/direct/charges" },
  options: {},
  features: {},
  context: { locale: "en-US", iso: "en-US", texts: {} },
  cookie_id: "c1",
  card_key: null,
  accepts_plain_cards: true,
  device_data_timeout_ms: null,
} as unknown as FormPage;

/** Longer than a request without an answer may be on its way. */
const LONG_MS = 30_000;

/** What the service answers to each path. Without an entry the answer is lost. */
let answers: Record<string, () => Response | Promise<Response>>;
let asked: { path: string; key: string | null }[];

const charge = (status: string, more: object = {}) =>
  Response.json({ id: "ch_1", status, shopper_action: null, decline_code: null, ...more });
const taken = (status_code: string, shopper_action: object | null = null) =>
  Response.json({ status_code, shopper_action }, { status: 201 });

const CHALLENGE = { type: "challenge", url: "https://bank.example" };
const TO_SHOP = { return_url: "https://shop.example" };

/** An answer that comes when the test gives it. */
function heldAnswer() {
  let give = (_: Response) => {};
  const answer = new Promise<Response>((resolve) => {
    give = resolve;
  });
  return { answer: () => answer, give: (response: Response) => give(response) };
}

beforeEach(() => {
  vi.useFakeTimers();
  answers = {};
  asked = [];
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("navigator", { onLine: true, userAgent: "" });
  vi.stubGlobal("screen", {});
  vi.stubGlobal("document", { addEventListener: () => {}, activeElement: null });
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const path = url.replace("/v1/pub/", "").replace("charges/ch_1", "charge");
    asked.push({ path, key: new Headers(init.headers).get("Idempotency-Key") });
    const answer = answers[path];
    if (answer === undefined) throw new TypeError("lost");
    return answer();
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A filled form, whose payments and questions go to `answers`. */
function openForm() {
  const store = createFormStore({ ...CONFIG }, { today: () => TODAY, drawn: (change) => change() });
  const language = createLanguageStore(PAGE.context, (change) => change(), {});
  const secrets = new ClientSecrets(PAGE, SECRET, null);
  const facts = { ipAddress: "", fraudToken: () => "" };
  const charging = new Charging(PAGE, store, language, secrets, { facts, learnt: Promise.resolve() });
  store.onEffect((effect, state) => {
    if (effect.type === "charge") void charging.charge(effect.clientSecret, state);
    if (effect.type === "watch-charge") void charging.watch();
    if (effect.type === "look-at-charge") void charging.look();
    if (effect.type === "cancel-challenge") void charging.cancel();
  });
  for (const [name, text] of [
    ["cardNumber", "4242 4242 4242 4242"],
    ["expiry", "12 / 34"],
    ["security", "123"],
  ] as const) {
    store.send({ type: "field", name, event: { type: "typed", text } });
  }
  return {
    charging,
    state: store.state,
    send: (event: FormEvent) => store.send(event),
    pay: () => store.send({ type: "submit", clientSecret: SECRET }),
    phase: () => store.state().submission.phase,
  };
}

/** The idempotency keys of the payments, each one once. */
const keys = () => [...new Set(asked.flatMap(({ key }) => key ?? []))];
const count = (path: string) => asked.filter((one) => one.path === path).length;

test("after a lost decline the next card has a key of its own", async () => {
  const form = openForm();
  answers.charge = () => charge("failed", { decline_code: "insufficient_funds" });
  form.pay();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(form.state()).toMatchObject({ submission: { phase: "open" }, failure: {} });
  answers["direct/charges"] = () => taken("succeeded");
  form.pay();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(form.phase()).toBe("closed");
  expect(keys()).toHaveLength(2);
});

test("a next card that never arrived is not told as declined", async () => {
  const form = openForm();
  const declined = { status_code: "failed", decline_code: "insufficient_funds" };
  answers["direct/charges"] = () => Response.json(declined, { status: 402 });
  form.pay();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(form.state().failure).toMatchObject({ declineCode: "insufficient_funds" });
  delete answers["direct/charges"];
  answers.charge = () => charge("failed", { decline_code: "insufficient_funds" });
  form.pay();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(form.state().failure).toMatchObject({ errorCode: "connection-lost" });
  // Another reason is the next card's own.
  answers.charge = () => charge("failed", { decline_code: "expired_card" });
  form.pay();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(form.state().failure).toMatchObject({ declineCode: "expired_card" });
});

test("a request that never arrived is sent again under its key", async () => {
  const form = openForm();
  answers.charge = () => charge("created");
  form.pay();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(form.state().failure).toMatchObject({ errorCode: "connection-lost" });
  answers["direct/charges"] = () => taken("succeeded");
  form.pay();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(form.phase()).toBe("closed");
  expect(keys()).toHaveLength(1);
});

test.each(["was lost", "comes late"])("a paid form knows the way back if its first look %s", async (how) => {
  const form = openForm();
  const first = heldAnswer();
  if (how === "comes late") answers.charge = first.answer;
  void form.charging.look();
  await vi.advanceTimersByTimeAsync(1);
  answers.charge = () => charge("succeeded", TO_SHOP);
  const paid = heldAnswer();
  answers["direct/charges"] = paid.answer;
  form.pay();
  await vi.advanceTimersByTimeAsync(1);
  first.give(charge("created", TO_SHOP));
  await vi.advanceTimersByTimeAsync(1);
  paid.give(taken("succeeded"));
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(form.state()).toMatchObject({ submission: { phase: "closed" }, charge: TO_SHOP });
});

test("a form that was not paid does not ask for the way back", async () => {
  const form = openForm();
  answers["direct/charges"] = () =>
    Response.json({ status_code: "failed", decline_code: "expired_card" }, { status: 402 });
  form.pay();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(form.phase()).toBe("open");
  expect(count("charge")).toBe(0);
});

test.each(["charge_not_payable", "client_secret_expired"])(
  "%s shows another tab's challenge",
  async (code) => {
    const form = openForm();
    answers["direct/charges"] = () => Response.json({ error: { code } }, { status: 409 });
    answers.charge = () => charge("waiting_for_shopper_action", { shopper_action: CHALLENGE });
    form.pay();
    await vi.advanceTimersByTimeAsync(1);
    expect(form.state().submission).toMatchObject({ phase: "settling", shopperAction: CHALLENGE });
  },
);

/** A form whose challenge the shopper closes; then the answers of `answers` come. */
async function closeChallenge() {
  const form = openForm();
  const waits = () => charge("waiting_for_shopper_action", { shopper_action: CHALLENGE });
  answers = {
    charge: waits,
    "direct/charges": () => taken("waiting_for_shopper_action", CHALLENGE),
    "charge/cancel-shopper-action": () => new Response(null, { status: 503 }),
  };
  form.pay();
  await vi.advanceTimersByTimeAsync(1);
  form.send({ type: "challenge-closed" });
  await vi.advanceTimersByTimeAsync(1);
  expect(count("charge/cancel-shopper-action")).toBe(1);
  return form;
}

const CANCELED = { decline_code: "authentication_canceled" };

test("a cancellation is repeated until the service answers", async () => {
  const form = await closeChallenge();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(form.phase()).toBe("settling");
  answers["charge/cancel-shopper-action"] = () => charge("failed", CANCELED);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(form.state()).toMatchObject({
    submission: { phase: "open" },
    failure: { declineCode: CANCELED.decline_code },
  });
});

test("a cancellation is not repeated in the next payment", async () => {
  const form = await closeChallenge();
  // It worked, but only the next look tells so.
  answers.charge = () => charge("failed", CANCELED);
  await vi.advanceTimersByTimeAsync(1_400);
  expect(form.phase()).toBe("open");
  answers.charge = () => charge("waiting_for_shopper_action", { shopper_action: CHALLENGE });
  form.pay();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(form.state().submission).toMatchObject({ phase: "settling", shopperAction: CHALLENGE });
  expect(count("charge/cancel-shopper-action")).toBeLessThanOrEqual(2);
});

test("a look from before the last press does not end the payment", async () => {
  const form = openForm();
  const first = heldAnswer();
  answers = {
    charge: first.answer,
    "direct/charges": () => taken("waiting_for_shopper_action", CHALLENGE),
  };
  void form.charging.look();
  form.pay();
  await vi.advanceTimersByTimeAsync(1);
  first.give(charge("failed", { decline_code: "generic_decline" }));
  await vi.advanceTimersByTimeAsync(1);
  expect(form.state().submission).toMatchObject({ phase: "settling", shopperAction: CHALLENGE });
});
