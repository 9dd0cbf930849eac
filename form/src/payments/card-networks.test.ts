import { afterEach, describe, expect, test, vi } from "vitest";

import { lookUpNetworks } from "./card-networks.ts";

const claims = Buffer.from('{"sub":"partner_1","charge_id":"ch_1"}').toString("base64url");
const CALLER = {
  clientSecret: `header.${claims}.signature`,
  cookieId: "c1",
  service: { base: "", direct_charges: "/v1/pub/direct/charges" },
  meant: { partnerId: "partner_1", chargeId: "ch_1", parentOrigin: null },
};

afterEach(() => vi.unstubAllGlobals());

function answering(answer: () => Promise<Response>) {
  const fetched = vi.fn<typeof fetch>(answer);
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

describe("the look-up of networks", () => {
  test("sends eight digits with the client secret, and nothing more", async () => {
    const ranges = [{ length: 16, networks: ["cb", "visa"] }];
    const fetched = answering(async () => Response.json({ ranges }));
    expect(await lookUpNetworks("40000025", CALLER)).toEqual(ranges);
    const [path, init] = fetched.mock.calls[0] ?? [];
    expect([path, init?.body]).toEqual(["/v1/pub/card-networks", '{"prefix":"40000025"}']);
    expect(new Headers(init?.headers).get("Authorization")).toBe(`Bearer ${CALLER.clientSecret}`);
  });

  test.each([
    ["an error", async () => Response.json({ error: { code: "too_many_requests" } }, { status: 429 })],
    ["a captive portal", async () => new Response("<html>")],
    ["no list", async () => Response.json({ ranges: 7 })],
    ["an unknown brand", async () => Response.json({ ranges: [{ length: 16, networks: ["x", "visa"] }] })],
    ["no answer", () => Promise.reject(new TypeError("offline"))],
  ])("finds nothing after %s", async (_, answer) => {
    answering(answer);
    expect(await lookUpNetworks("40000025", CALLER)).toEqual([]);
  });
});
