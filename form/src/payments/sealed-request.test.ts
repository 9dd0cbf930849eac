import { generateKeyPairSync } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";

import type { CardKey, DirectCharge } from "../../generated/wire.ts";
import { withSealedCard } from "./sealed-request.ts";

const { x = "", y = "" } = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({
  format: "jwk",
});
const KEY: CardKey = { kid: "sig_1", kty: "EC", crv: "P-256", x, y };
const SECRET = `h.${Buffer.from('{"sub":"p","charge_id":"ch_1","jti":"tok_1"}').toString("base64url")}.s`;
const REQUEST = {
  charge_id: "ch_1",
  payment_method: {
    type: "card",
    card: { country_code: "US", number: "4242424242424242", expiration_month: "12", security_code: "123" },
  },
} as DirectCharge;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("the card that is sent has no number and no security code", async () => {
  const sent = await withSealedCard(REQUEST, { card_key: KEY, accepts_plain_cards: true }, SECRET);
  expect(sent?.payment_method.card).toEqual({
    country_code: "US",
    expiration_month: "12",
    sealed: expect.any(String),
  });
  const header = sent?.payment_method.card.sealed?.split(".")[0] ?? "";
  expect(JSON.parse(Buffer.from(header, "base64url").toString())).toMatchObject({
    kid: "sig_1",
    charge_id: "ch_1",
    jti: "tok_1",
  });
});

test.each([
  ["without WebCrypto", KEY, () => vi.stubGlobal("crypto", {})],
  ["without a key", null, () => {}],
  ["with a key that is none", { ...KEY, y: x }, () => {}],
])("%s the card is sent as it is only where that is accepted", async (_, card_key, prepare) => {
  vi.spyOn(console, "warn").mockReturnValue();
  prepare();
  expect(await withSealedCard(REQUEST, { card_key, accepts_plain_cards: true }, SECRET)).toBe(REQUEST);
  expect(await withSealedCard(REQUEST, { card_key, accepts_plain_cards: false }, SECRET)).toBeNull();
});
