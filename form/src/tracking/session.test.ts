// The session's machine as a table: what was stored, what comes, and what is told and stored then.

import { describe, expect, it } from "vitest";

import { type Campaign, NO_CAMPAIGN } from "./campaign.ts";
import { arrive, readSession, type Session, type SessionStep } from "./session.ts";

const TIMEOUT_MS = 1_800_000;
const NOW = 1_800_000_000_000;
const OLD = "0a000000-0000-4000-8000-000000000001";
const NEW = "00000000-0000-4000-8000-000000000002";

const spring: Campaign = { ...NO_CAMPAIGN, utmCampaign: "spring" };
const summer: Campaign = { ...NO_CAMPAIGN, utmCampaign: "summer" };

const session = (idleMs: number): Session => ({ id: OLD, num: 3, lastAction: NOW - idleMs });
const goesOn = (campaign: Campaign | null): SessionStep => ({
  session: { id: OLD, num: 3, lastAction: NOW },
  campaign,
  events: [],
});
const started: Session = { id: NEW, num: 4, lastAction: NOW };
const startsAnew = (closed: Session, kept: Campaign | null, campaign: Campaign | null): SessionStep => ({
  session: started,
  campaign,
  events: [
    { name: "sessionClose", session: closed, campaign: kept },
    { name: "sessionStart", session: started, campaign },
  ],
});

interface ArrivalCase {
  readonly when: string;
  readonly stored: Session | null;
  readonly kept: Campaign | null;
  readonly arrives: Campaign | null;
  readonly step: SessionStep;
}

const first: Session = { id: NEW, num: 1, lastAction: NOW };
const CASES: readonly ArrivalCase[] = [
  {
    when: "on a first visit",
    stored: null,
    kept: null,
    arrives: null,
    step: {
      session: first,
      campaign: null,
      events: [{ name: "sessionStart", session: first, campaign: null }],
    },
  },
  {
    when: "on a first visit by a campaign",
    stored: null,
    kept: null,
    arrives: spring,
    step: {
      session: first,
      campaign: spring,
      events: [{ name: "sessionStart", session: first, campaign: spring }],
    },
  },
  { when: "at once", stored: session(0), kept: null, arrives: null, step: goesOn(null) },
  {
    when: "a millisecond before the time-out",
    stored: session(TIMEOUT_MS - 1),
    kept: spring,
    arrives: null,
    step: goesOn(spring),
  },
  {
    when: "exactly at the time-out",
    stored: session(TIMEOUT_MS),
    kept: null,
    arrives: null,
    step: startsAnew(session(TIMEOUT_MS), null, null),
  },
  {
    when: "at the time-out without a campaign, which deletes the stored one",
    stored: session(TIMEOUT_MS),
    kept: spring,
    arrives: null,
    step: startsAnew(session(TIMEOUT_MS), spring, null),
  },
  {
    when: "at the time-out by the campaign that is stored, which stays",
    stored: session(TIMEOUT_MS),
    kept: spring,
    arrives: spring,
    step: startsAnew(session(TIMEOUT_MS), spring, spring),
  },
  {
    when: "at the time-out by another campaign",
    stored: session(TIMEOUT_MS),
    kept: spring,
    arrives: summer,
    step: startsAnew(session(TIMEOUT_MS), spring, summer),
  },
  {
    when: "in time by the first campaign",
    stored: session(1),
    kept: null,
    arrives: spring,
    step: startsAnew(session(1), null, spring),
  },
  {
    when: "in time by another campaign",
    stored: session(1),
    kept: spring,
    arrives: summer,
    step: startsAnew(session(1), spring, summer),
  },
  {
    when: "in time by the same campaign, as when the page is loaded again",
    stored: session(1),
    kept: spring,
    arrives: spring,
    step: goesOn(spring),
  },
  {
    when: "with a clock that was set back",
    stored: session(-1),
    kept: null,
    arrives: null,
    step: goesOn(null),
  },
  {
    when: "with a clock that was a year ahead",
    stored: session(-31_536_000_000),
    kept: null,
    arrives: null,
    step: goesOn(null),
  },
];

describe("an action of the shopper", () => {
  it.each(CASES)("$when", ({ stored, kept, arrives, step }) => {
    const before = { session: stored, sessions: stored?.num ?? 0, campaign: kept };
    expect(arrive(before, { now: NOW, campaign: arrives, timeoutMs: TIMEOUT_MS, newId: NEW })).toEqual(step);
  });

  it("keeps count of the sessions when the last one cannot be read", () => {
    const before = { session: null, sessions: 7, campaign: null };
    const { session } = arrive(before, { now: NOW, campaign: null, timeoutMs: TIMEOUT_MS, newId: NEW });
    expect(session.num).toBe(8);
  });
});

describe("the stored session", () => {
  it("is read as it was written", () => {
    expect(readSession(OLD, "3", String(NOW))).toEqual({
      session: { id: OLD, num: 3, lastAction: NOW },
      sessions: 3,
    });
  });

  it.each([
    [null, null, null, 0],
    ["", "", "", 0],
    ["<script>", "3", String(NOW), 3],
    [OLD.toUpperCase(), "3", String(NOW), 3],
    [OLD, "3", null, 3],
    [OLD, "3", "yesterday", 3],
    [OLD, "3", "-1", 3],
    [OLD, "3", "1e9", 3],
    [OLD, "3", "9".repeat(17), 3],
    [OLD, "three", String(NOW), 0],
    [OLD, "0", String(NOW), 0],
    [OLD, "-3", String(NOW), 0],
    [OLD, "1.5", String(NOW), 0],
    [OLD, "1000001", String(NOW), 0],
    [OLD, "NaN", "NaN", 0],
  ])("is no session when it is %j, %j, %j", (id, num, lastAction, sessions) => {
    expect(readSession(id, num, lastAction)).toEqual({ session: null, sessions });
  });
});
