import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { DirectCharge } from "../../generated/wire.ts";
import { chargeAnswer, payCharge, seeCharge } from "./charges.ts";
import { claimsOf } from "./client-secret.ts";

const token = (claims: string) => `header.${Buffer.from(claims).toString("base64url")}.signature`;
const CALLER = {
  clientSecret: token('{"sub":"partner_1","charge_id":"ch_1"}'),
  cookieId: "c1",
  service: { base: "", direct_charges: "/v1/pub/direct/charges" },
  meant: { partnerId: "partner_1", chargeId: "ch_1", parentOrigin: null },
};
const REQUEST = { charge_id: "ch_1" } as DirectCharge;

describe("the partner id of a client secret", () => {
  test("is its subject", () => {
    expect(claimsOf(CALLER.clientSecret).sub).toBe("partner_1");
  });

  test.each([
    [undefined as unknown as string, "must be a string"],
    ["onlyonepart", "missing part"],
    ["a.%%%.c", "invalid base64"],
    [token("{"), "invalid json"],
  ])("%s: %s", (clientSecret, error) => {
    expect(() => claimsOf(clientSecret)).toThrow(error);
  });
});

test("a client secret of another charge is refused before anything is sent", async () => {
  const asked = vi.fn();
  vi.stubGlobal("fetch", asked);
  vi.spyOn(console, "warn").mockReturnValue();
  const other = { ...CALLER, meant: { ...CALLER.meant, chargeId: "ch_2" } };
  expect(await payCharge(REQUEST, other, "press-1")).toMatchObject({
    kind: "refused",
    code: "charge_mismatch",
  });
  expect(await seeCharge("ch_2", other)).toEqual({ refused: "charge_mismatch" });
  expect(asked).not.toHaveBeenCalled();
});

describe("an answer", () => {
  test.each([
    [
      201,
      { status_code: "succeeded", shopper_action: null },
      { kind: "taken", status: "succeeded", shopperAction: null },
    ],
    [
      402,
      { status_code: "failed", decline_code: "expired_card" },
      {
        kind: "declined",
        declineCode: "expired_card",
        decline: { nextStep: "expired_card", field: "expiry", errorId: "CardExpiry_Expired" },
      },
    ],
    [403, { error: { code: "charge_mismatch", message: "…" } }, { kind: "refused", code: "charge_mismatch" }],
    [
      422,
      {
        error: {
          code: "invalid_card",
          message: "…",
          field: "payment_method.card.number",
          reason: "CardNumber_Invalid",
        },
      },
      {
        kind: "refused",
        code: "invalid_card",
        field: "payment_method.card.number",
        reason: "CardNumber_Invalid",
      },
    ],
  ])("of %i is read", (status, body, read) => {
    expect(chargeAnswer({ status, body })).toEqual(read);
  });

  test.each([
    ["a portal's page", 200, null],
    ["another's JSON", 200, { ok: true }],
    ["a status that we do not have", 201, { status_code: "approved", shopper_action: null }],
    ["a status that the direct charge does not answer", 201, { status_code: "failed" }],
    ["a proxy's refusal", 403, "Access denied"],
    ["a proxy's 402", 402, { decline_code: "quota" }],
    ["an error of ours that says nothing of the payment", 500, { error: { code: "internal", message: "…" } }],
    ["a list", 200, ["succeeded"]],
  ])("that is %s is no answer", (_, status, body) => {
    expect(chargeAnswer({ status, body })).toBeNull();
  });

  test("with an unknown shopper action is read without it", () => {
    const body = { status_code: "waiting_for_shopper_action", shopper_action: { type: "dance" } };
    expect(chargeAnswer({ status: 201, body })).toEqual({
      kind: "taken",
      status: "waiting_for_shopper_action",
      shopperAction: null,
    });
  });
});

describe("on a bad network", () => {
  beforeEach(() => {
    vi.stubGlobal("navigator", { onLine: true });
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const withAnswers = (...answers: (Response | Error)[]) => {
    vi.useFakeTimers();
    const calls: Headers[] = [];
    vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
      calls.push(new Headers(init.headers));
      const answer = answers.shift() ?? new Error("offline");
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    });
    return calls;
  };

  test("a request without an answer is sent again with the same key", async () => {
    const succeeded = Response.json({ status_code: "succeeded", shopper_action: null }, { status: 201 });
    const calls = withAnswers(new Error("offline"), new Response(null, { status: 502 }), succeeded);
    const answer = payCharge(REQUEST, CALLER, "press-1");
    await vi.runAllTimersAsync();
    expect(await answer).toEqual({ kind: "taken", status: "succeeded", shopperAction: null });
    expect(calls.map((headers) => headers.get("idempotency-key"))).toEqual(["press-1", "press-1", "press-1"]);
    expect(calls[0]?.get("partner-id")).toBe("partner_1");
    expect(calls[0]?.get("cookie-id")).toBe("c1");
  });

  test("without any answer the result is unanswered", async () => {
    const calls = withAnswers();
    const answer = payCharge(REQUEST, CALLER, "press-1");
    await vi.runAllTimersAsync();
    expect(await answer).toEqual({ kind: "unanswered" });
    expect(calls).toHaveLength(4);
  });

  test("after an answer of another server the request is sent again", async () => {
    const calls = withAnswers(...Array.from({ length: 4 }, () => new Response("<h1>Sign in</h1>")));
    const answer = payCharge(REQUEST, CALLER, "press-1");
    await vi.runAllTimersAsync();
    expect(await answer).toEqual({ kind: "unanswered" });
    expect(calls).toHaveLength(4);
  });

  test("a request that times out is not sent again", async () => {
    const calls = withAnswers(new DOMException("The operation timed out.", "TimeoutError"));
    const answer = payCharge(REQUEST, CALLER, "press-1");
    await vi.runAllTimersAsync();
    expect(await answer).toEqual({ kind: "unanswered" });
    expect(calls).toHaveLength(1);
  });

  test("without a connection the result is unsent at once", async () => {
    vi.stubGlobal("navigator", { onLine: false });
    const calls = withAnswers();
    expect(await payCharge(REQUEST, CALLER, "press-1")).toEqual({ kind: "unsent" });
    expect(calls).toHaveLength(1);
  });

  test("a connection lost while an answer is awaited leaves the outcome open", async () => {
    const calls = withAnswers();
    const answer = payCharge(REQUEST, CALLER, "press-1");
    vi.stubGlobal("navigator", { onLine: false });
    await vi.runAllTimersAsync();
    expect(await answer).toEqual({ kind: "unanswered" });
    expect(calls).toHaveLength(4);
  });

  test.each([
    ["a portal's page", new Response("<h1>Sign in</h1>")],
    ["another's JSON", Response.json({ status: "succeeded" })],
    ["another charge", Response.json({ id: "ch_2", status: "succeeded" })],
    ["a status that there is not", Response.json({ id: "ch_1", status: "paid" })],
  ])("a question that is answered with %s has no result", async (_, answer) => {
    withAnswers(answer);
    expect(await seeCharge("ch_1", CALLER)).toBeNull();
  });

  test("a refused question has the reason", async () => {
    withAnswers(Response.json({ error: { code: "client_secret_expired", message: "…" } }, { status: 401 }));
    expect(await seeCharge("ch_1", CALLER)).toEqual({ refused: "client_secret_expired" });
  });

  test("a refused request is not sent again", async () => {
    const calls = withAnswers(
      Response.json({ error: { code: "charge_mismatch", message: "…" } }, { status: 403 }),
    );
    expect(await payCharge(REQUEST, CALLER, "press-1")).toEqual({ kind: "refused", code: "charge_mismatch" });
    expect(calls).toHaveLength(1);
  });

  test("after too many tries the answer has the time to wait", async () => {
    const body = { error: { code: "too_many_requests", message: "…" } };
    const calls = withAnswers(Response.json(body, { status: 429, headers: { "retry-after": "61" } }));
    expect(await payCharge(REQUEST, CALLER, "press-1")).toEqual({
      kind: "refused",
      code: "too_many_requests",
      retryAfterSeconds: 61,
    });
    expect(calls).toHaveLength(1);
  });
});
