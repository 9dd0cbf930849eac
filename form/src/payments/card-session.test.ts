// The card page's calls: what is sent, and what is read from the answers.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { FormPage } from "../../generated/wire.ts";
import { CardSessionCalls, isOfSession, ownCards } from "./card-session.ts";

const PAGE = {
  intent: { partnerId: "partner_1", shopperId: "sh/1", cardSession: "cs_1" },
  context: { locale: "en-US" },
  cookie_id: "c1",
  service: { base: "", direct_charges: "" },
} as unknown as FormPage;

const token = (claims: object) =>
  `header.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;

const card = (id: string, more: object = {}) => ({
  card: {
    payment_method_id: id,
    last_four: "4242",
    brand: "visa",
    networks: [],
    network: null,
    expiration_month: "03",
    expiration_year: "2030",
    nickname: null,
    default: false,
    ...more,
  },
});

type GivenAnswer = readonly [status: number, body: unknown];

let expired = 0;
beforeEach(() => {
  expired = 0;
  vi.stubGlobal("window", {
    location: { pathname: "/de-DE", search: "?payload=session&customStyle=%7B%7D" },
  });
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => vi.unstubAllGlobals());

/** Calls that are answered in this order, and what was fetched. */
function answering(...answers: GivenAnswer[]) {
  const left = [...answers];
  const fetched = vi.fn<typeof fetch>(async () => {
    const [status, body] = left.shift() ?? [500, null];
    // No other status may have no body.
    return status === 204 ? new Response(null, { status }) : Response.json(body, { status });
  });
  vi.stubGlobal("fetch", fetched);
  const calls = new CardSessionCalls(PAGE, "secret", () => {
    expired += 1;
  });
  return { calls, fetched };
}

describe("the list", () => {
  test("has every card, page by page, with its name", async () => {
    const full = Array.from({ length: 50 }, (_, at) => card(`pm_${at}`));
    const { calls, fetched } = answering(
      [200, { items: full }],
      [200, { items: [card("pm_last", { nickname: "Home", default: true })] }],
    );
    const cards = await calls.list();
    expect(cards).toHaveLength(51);
    expect(cards?.at(-1)).toMatchObject({ id: "pm_last", nickname: "Home", isDefault: true });
    expect(fetched.mock.calls.map(([path]) => path)).toEqual([
      "/v1/pub/shoppers/sh%2F1/payment-methods?page_size=50&page_number=1",
      "/v1/pub/shoppers/sh%2F1/payment-methods?page_size=50&page_number=2",
    ]);
    expect(fetched.mock.calls[0]?.[1]?.headers).toMatchObject({ Authorization: "Bearer secret" });
  });

  test.each<GivenAnswer>([
    [500, { items: [] }],
    [200, {}],
    [200, null],
    [403, { error: { code: "charge_mismatch" } }],
  ])("is unknown after the answer %s %j", async (status, body) => {
    const { calls } = answering([status, body]);
    expect(await calls.list()).toBe(null);
    expect(expired).toBe(0);
  });

  test("ends the session after a 401", async () => {
    const { calls } = answering([401, { error: { code: "client_secret_expired" } }]);
    expect(await calls.list()).toBe(null);
    expect(expired).toBe(1);
  });

  test("leaves out what is no card", () => {
    expect(ownCards({ items: [card("pm_1"), {}, null, { card: { payment_method_id: 7 } }] })).toHaveLength(1);
    expect(ownCards({ items: [card("pm_1", { nickname: 7, default: "yes" })] })).toMatchObject([
      { nickname: null, isDefault: false },
    ]);
    expect(ownCards("nothing")).toBe(null);
  });
});

describe("a change", () => {
  test.each([
    [{ type: "name", nickname: "Home" }, "POST", { nickname: "Home" }],
    [{ type: "name", nickname: null }, "POST", { nickname: null }],
    [{ type: "default" }, "POST", { default: true }],
    [{ type: "remove" }, "DELETE", { shopper_id: "sh/1" }],
  ] as const)("%j is sent as %s %j", async (change, method, body) => {
    const { calls, fetched } = answering(
      change.type === "remove" ? [204, null] : [200, { payment_method_id: "pm/1" }],
    );
    expect(await calls.change("pm/1", change)).toBe("done");
    const [path, init] = fetched.mock.calls[0] ?? [];
    expect([path, init?.method, JSON.parse(String(init?.body))]).toEqual([
      "/v1/pub/payment-methods/pm%2F1",
      method,
      body,
    ]);
  });

  test("is not done by another server's answer", async () => {
    for (const body of [null, {}, { payment_method_id: "pm_2" }]) {
      expect(await answering([200, body]).calls.change("pm_1", { type: "remove" })).toBe("failed");
      expect(await answering([200, body]).calls.change("pm_1", { type: "default" })).toBe("failed");
    }
  });

  test("of a card that is gone is told from a failed one", async () => {
    const gone = { error: { code: "payment_method_not_found" } };
    expect(await answering([404, gone]).calls.change("pm_1", { type: "default" })).toBe("gone");
    expect(await answering([404, {}]).calls.change("pm_1", { type: "default" })).toBe("failed");
    expect(await answering([500, null]).calls.change("pm_1", { type: "remove" })).toBe("failed");
  });
});

describe("the form that adds a card", () => {
  const setup = { id: "ch_1", payload: "of setup", client_secret: "of setup" };

  test("is the page of a new setup, with the look of this page", async () => {
    const { calls, fetched } = answering([201, setup], [200, { page: { intent: { chargeId: "ch_1" } } }]);
    expect(await calls.add()).toMatchObject({
      clientSecret: "of setup",
      page: { intent: { chargeId: "ch_1" }, standalone: true, context: PAGE.context },
    });
    expect(fetched.mock.calls.map(([path]) => path)).toEqual([
      "/v1/pub/card-sessions/charges",
      "/de-DE?customStyle=%7B%7D&payload=of%20setup",
    ]);
  });

  test.each<[GivenAnswer, GivenAnswer]>([
    [
      [429, { error: { code: "too_many_requests" } }],
      [200, {}],
    ],
    [
      [201, setup],
      [403, {}],
    ],
  ])("is not there after the answers %j and %j", async (first, second) => {
    expect(await answering(first, second).calls.add()).toBe(null);
  });
});

test("a page takes the secret of its own session and merchant only", () => {
  expect(isOfSession(token({ jti: "cs_1", sub: "partner_1" }), PAGE)).toBe(true);
  expect(isOfSession(token({ jti: "cs_2", sub: "partner_1" }), PAGE)).toBe(false);
  expect(isOfSession(token({ jti: "cs_1", sub: "partner_2" }), PAGE)).toBe(false);
  for (const unreadable of [null, "", "a.b.c", "x"]) {
    expect(isOfSession(unreadable, PAGE)).toBe(false);
  }
});
