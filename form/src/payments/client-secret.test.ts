import { describe, expect, test } from "vitest";

import { ForeignSecretError, partnerOfOwn } from "./client-secret.ts";

const SHOP = "https://shop.example";
const MEANT = { partnerId: "partner_1", chargeId: "ch_1", parentOrigin: SHOP };
const CLAIMS = { sub: "partner_1", charge_id: "ch_1", allowed_origins: [] as string[] };

const token = (claims: unknown) =>
  `header.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;

describe("a client secret", () => {
  test("of the payload's charge and merchant is used", () => {
    expect(partnerOfOwn(token(CLAIMS), MEANT)).toBe("partner_1");
    expect(partnerOfOwn(token({ ...CLAIMS, allowed_origins: [SHOP] }), MEANT)).toBe("partner_1");
  });

  test.each([
    ["another merchant", { ...CLAIMS, sub: "partner_2" }],
    ["no merchant", { charge_id: "ch_1" }],
    ["another charge", { ...CLAIMS, charge_id: "ch_2" }],
    ["no charge", { sub: "partner_1" }],
    [
      "a merchant whose form this parent may not embed",
      { ...CLAIMS, allowed_origins: ["https://other.example"] },
    ],
  ])("of %s is foreign", (_, claims) => {
    expect(() => partnerOfOwn(token(claims), MEANT)).toThrow(ForeignSecretError);
  });

  test("needs no origin where there is no parent", () => {
    const pinned = token({ ...CLAIMS, allowed_origins: ["https://other.example"] });
    expect(partnerOfOwn(pinned, { ...MEANT, parentOrigin: null })).toBe("partner_1");
  });

  test("fits any merchant if the payload names none", () => {
    expect(partnerOfOwn(token(CLAIMS), { ...MEANT, partnerId: "" })).toBe("partner_1");
  });
});
