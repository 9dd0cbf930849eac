import { afterEach, describe, expect, test, vi } from "vitest";

import { listSavedCards, removeSavedCard, savedCards } from "./saved-cards.ts";

const claims = Buffer.from('{"sub":"partner_1","charge_id":"ch_1"}').toString("base64url");
const CALLER = {
  clientSecret: `header.${claims}.signature`,
  cookieId: "c1",
  service: { base: "", direct_charges: "/v1/pub/direct/charges" },
  meant: { partnerId: "partner_1", chargeId: "ch_1", parentOrigin: null },
};
const ITEM = {
  card: {
    id: "card_1",
    payment_method_id: "pm_1",
    first_six: "424242",
    last_four: "4242",
    brand: "visa",
    networks: ["cb", "visa", "not-known"],
    network: "cb",
    nickname: "Home",
    expiration_month: "03",
    expiration_year: "2030",
  },
};
const CARD = {
  id: "pm_1",
  lastFour: "4242",
  brand: "visa",
  expirationMonth: 3,
  expirationYear: 2030,
  nickname: "Home",
  networks: ["cb", "visa"],
  network: "cb",
};

afterEach(() => vi.unstubAllGlobals());

/** Answers every call alike, and remembers it. */
function answering(status: number, body: unknown) {
  const fetched = vi.fn<typeof fetch>(async () => Response.json(body, { status }));
  vi.stubGlobal("fetch", fetched);
  vi.spyOn(console, "warn").mockImplementation(() => {});
  return fetched;
}

describe("the list", () => {
  test("is the shopper's first page of five, asked for with the client secret", async () => {
    const fetched = answering(200, { items: [ITEM] });
    expect(await listSavedCards("sh/1", CALLER)).toEqual([CARD]);
    const [path, init] = fetched.mock.calls[0] ?? [];
    expect(path).toBe("/v1/pub/shoppers/sh%2F1/payment-methods?page_size=5&page_number=1");
    expect(init?.headers).toEqual({
      Authorization: `Bearer ${CALLER.clientSecret}`,
      "partner-id": "partner_1",
      "cookie-id": "c1",
    });
    expect(init?.signal).toBeInstanceOf(AbortSignal);
  });

  test.each([
    [500, {}],
    [500, { items: [ITEM] }],
    [404, { items: [ITEM] }],
    [401, { error: { code: "client_secret_expired" } }],
    [200, null],
    [200, {}],
    [200, { items: 7 }],
  ])("is null when %i is answered with %j", async (status, body) => {
    answering(status, body);
    expect(await listSavedCards("sh_1", CALLER)).toBeNull();
  });

  test("is null without an answer", async () => {
    answering(200, {}).mockRejectedValue(new TypeError("network"));
    expect(await listSavedCards("sh_1", CALLER)).toBeNull();
  });

  test("leaves out entries that are no cards, and keeps unknown brands", () => {
    const unknown = { card: { ...ITEM.card, brand: "acme" } };
    expect(savedCards({ items: [null, {}, { card: {} }, { card: { last_four: "1" } }, unknown] })).toEqual([
      { ...CARD, brand: null },
    ]);
  });
});

describe("a removal", () => {
  test("names the shopper, and succeeds also if the card is already removed", async () => {
    const fetched = answering(204, null);
    fetched.mockResolvedValueOnce(new Response(null, { status: 204 }));
    expect(await removeSavedCard("pm_1", "sh_1", CALLER)).toBe(true);
    const [path, init] = fetched.mock.calls[0] ?? [];
    expect([path, init?.method, init?.body]).toEqual([
      "/v1/pub/payment-methods/pm_1",
      "DELETE",
      '{"shopper_id":"sh_1"}',
    ]);
    answering(404, { error: { code: "payment_method_not_found" } });
    expect(await removeSavedCard("pm_1", "sh_1", CALLER)).toBe(true);
  });

  test.each([
    [200, null],
    [200, { ok: true }],
    [404, null],
    [404, { error: { code: "not_found" } }],
  ])("fails when another server answers %i with %j", async (status, body) => {
    answering(status, body);
    expect(await removeSavedCard("pm_1", "sh_1", CALLER)).toBe(false);
  });

  test("fails when the server refuses or does not answer", async () => {
    answering(503, {});
    expect(await removeSavedCard("pm_1", "sh_1", CALLER)).toBe(false);
    answering(200, {}).mockRejectedValue(new TypeError("network"));
    expect(await removeSavedCard("pm_1", "sh_1", CALLER)).toBe(false);
  });
});
