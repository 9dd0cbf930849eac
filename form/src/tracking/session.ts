// A shopper's session as a state machine (docs/tracking.md#sessions-and-identities): from the stored session and a new
// action it makes the session to store and the events to send. It is pure: the time is a parameter.

import { type Campaign, isSameCampaign } from "./campaign.ts";

/** A session as it is stored between visits. */
export interface Session {
  /** A UUID. */
  readonly id: string;
  /** The number of this browser's session, from 1. */
  readonly num: number;
  /** When the shopper last did something, in milliseconds since 1970. */
  readonly lastAction: number;
}

/** The stored session and campaign, as far as they can be read. */
export interface StoredVisit {
  /** Null on a first visit, or if it cannot be read. */
  readonly session: Session | null;
  /** How many sessions there have been; known even if the last session cannot be read. */
  readonly sessions: number;
  readonly campaign: Campaign | null;
}

export interface Arrival {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** The campaign in the address of a page that was just opened; null if there is none, and for later actions. */
  readonly campaign: Campaign | null;
  /** After this idle time a session ends, in milliseconds. */
  readonly timeoutMs: number;
  readonly newId: string;
}

export interface SessionEvent {
  readonly name: "sessionStart" | "sessionClose";
  readonly session: Session;
  readonly campaign: Campaign | null;
}

export interface SessionStep {
  readonly session: Session;
  /** The campaign to store; null deletes it. */
  readonly campaign: Campaign | null;
  /** To be sent in this order. */
  readonly events: readonly SessionEvent[];
}

/** Continues the session, or ends it and starts another one. */
export function arrive({ session, sessions, campaign }: StoredVisit, arrival: Arrival): SessionStep {
  const { now, timeoutMs } = arrival;
  // If the clock was set back, the session continues.
  const isTimedOut = session !== null && now - session.lastAction >= timeoutMs;
  const isNewCampaign = arrival.campaign !== null && !isSameCampaign(arrival.campaign, campaign);
  if (session !== null && !isTimedOut && !isNewCampaign) {
    return { session: { ...session, lastAction: now }, campaign, events: [] };
  }
  const started: Session = { id: arrival.newId, num: sessions + 1, lastAction: now };
  const closed: SessionEvent[] = session === null ? [] : [{ name: "sessionClose", session, campaign }];
  const next = arrival.campaign ?? (isTimedOut ? null : campaign);
  return {
    session: started,
    campaign: next,
    events: [...closed, { name: "sessionStart", session: started, campaign: next }],
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** No browser has so many sessions; a larger number cannot be right. */
const SESSIONS_MAX = 1_000_000;

/** Whether `text` is an id as we write it. */
export function isUuid(text: string | null): text is string {
  return text !== null && UUID.test(text);
}

/** Reads a session from three stored texts, which may have been changed. */
export function readSession(
  id: string | null,
  num: string | null,
  lastAction: string | null,
): Pick<StoredVisit, "session" | "sessions"> {
  const sessions = wholeNumber(num, SESSIONS_MAX) ?? 0;
  const acted = wholeNumber(lastAction, Number.MAX_SAFE_INTEGER);
  const isWhole = isUuid(id) && sessions > 0 && acted !== null;
  return { sessions, session: isWhole ? { id, num: sessions, lastAction: acted } : null };
}

function wholeNumber(text: string | null, max: number): number | null {
  const number = text !== null && /^\d{1,16}$/.test(text) ? Number(text) : null;
  return number !== null && number <= max ? number : null;
}
