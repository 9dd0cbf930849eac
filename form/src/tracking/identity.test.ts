// Who a browser is to the experiments, over several visits.

import { describe, expect, it } from "vitest";

import { type Campaign, NO_CAMPAIGN } from "./campaign.ts";
import { createVisitor } from "./identity.ts";
import { inMemory } from "./kept-values.ts";

const TIMEOUT_MS = 1_800_000;
const NOW = 1_800_000_000_000;
const spring: Campaign = { ...NO_CAMPAIGN, utmCampaign: "spring" };

/** A browser that remembers, and a page in it for each visit. */
function browser() {
  const cookies = inMemory();
  const storage = inMemory();
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `00000000-0000-4000-8000-${String(ids).padStart(12, "0")}`;
  };
  return {
    cookies,
    storage,
    visit: (cookieId = "c-1") => createVisitor(cookieId, TIMEOUT_MS, { cookies, storage, newId }),
  };
}

describe("a visitor", () => {
  it("is the same at the next visit, and continues the session", () => {
    const { visit } = browser();
    const first = visit();
    const { session } = first.act(NOW, null);
    const second = visit();
    expect(second.identity).toEqual(first.identity);
    expect(second.act(NOW + TIMEOUT_MS - 1, null)).toEqual({
      session: { ...session, lastAction: NOW + TIMEOUT_MS - 1 },
      campaign: null,
      events: [],
    });
  });

  it("with another cookie id is another shopper on the same device", () => {
    const { visit } = browser();
    const one = visit("c-1").identity;
    const other = visit("c-2").identity;
    expect(other.deviceId).toBe(one.deviceId);
    expect(other.anonymousId).not.toBe(one.anonymousId);
    expect(visit("c-2").identity.anonymousId).toBe(other.anonymousId);
  });

  it("starts another session when idle in an open page, too", () => {
    const { visit } = browser();
    const visitor = visit();
    visitor.act(NOW, null);
    const { events, session } = visitor.act(NOW + TIMEOUT_MS, null);
    expect(events.map(({ name }) => name)).toEqual(["sessionClose", "sessionStart"]);
    expect(session.num).toBe(2);
  });

  it("has the campaign until a time-out without one", () => {
    const { visit, storage } = browser();
    visit().act(NOW, spring);
    expect(visit().act(NOW + 1, null).campaign).toEqual(spring);
    expect(visit().act(NOW + 1 + TIMEOUT_MS, null).campaign).toBeNull();
    expect(storage.get("cardform-campaign")).toBeNull();
  });

  it("sees an experiment once per session", () => {
    const { visit } = browser();
    const { sees } = visit();
    expect([sees("a", "s-1"), sees("b", "s-1"), sees("a", "s-1")]).toEqual([true, true, false]);
    expect(visit().sees("a", "s-1")).toBe(false);
    expect([sees("a", "s-2"), sees("a", "s-2")]).toEqual([true, false]);
  });

  it.each(["", "null", "7", '{"a":1}', "[1]", "[", '["s-1"]'])(
    "sees an experiment although %j is what is stored of those seen",
    (garbage) => {
      const { visit, storage } = browser();
      storage.set("cardform-viewed", garbage);
      expect(visit().sees("a", "s-1")).toBe(true);
      expect(visit().sees("a", "s-1")).toBe(false);
    },
  );

  it("is new if the cookies have values of another program", () => {
    const { visit, cookies, storage } = browser();
    for (const name of ["device-id", "anonymous-id", "session-id", "session-num", "last-action"]) {
      cookies.set(`cardform-${name}`, '"><script>');
    }
    storage.set("cardform-campaign", '{"utmCampaign":7,"cid":"sam@example.com"}');
    const visitor = visit();
    expect(visitor.identity.deviceId).toMatch(/^[0-9a-f-]{36}$/);
    expect(visitor.identity.anonymousId).toMatch(/^[0-9a-f-]{36}$/);
    const { session, campaign, events } = visitor.act(NOW, null);
    expect(session.num).toBe(1);
    expect(campaign).toBeNull();
    expect(events.map(({ name }) => name)).toEqual(["sessionStart"]);
  });
});
