// A shopper's session as a machine (docs/tracking.md#sessions-and-identities): what was stored of it and what
// comes now make what is stored from now on and the events to tell. Pure: the time is a parameter.

import { type Campaign, isSameCampaign } from "./campaign.ts";

/** What is stored of a session between visits. */
export interface Session {
  /** A UUID. */
  readonly id: string;
  /** The how many-th of this browser, from 1. */
  readonly num: number;
  /** When the shopper last did something, in milliseconds since 1970. */
  readonly lastAction: number;
}

/** What was read back, as far as it can be read. */
export interface Stored {
  /** Null on a first visit, and where what is stored is none. */
  readonly session: Session | null;
  /** How many sessions there have been; kept even where the last one cannot be read. */
  readonly sessions: number;
  readonly campaign: Campaign | null;
}

/** What comes now. */
export interface Arrival {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** The campaign in the address, for a page that was just opened; null without one, and for any later action. */
  readonly campaign: Campaign | null;
  /** After how much idle time a session is over, in milliseconds. */
  readonly timeoutMs: number;
  /** The id of a session that starts now. */
  readonly newId: string;
}

export interface SessionEvent {
  readonly name: "sessionStart" | "sessionClose";
  readonly session: Session;
}

export interface SessionStep {
  readonly session: Session;
  /** What is stored as the campaign from now on; null deletes it. */
  readonly campaign: Campaign | null;
  /** To be told in this order. */
  readonly events: readonly SessionEvent[];
}

/** The session goes on, or it is over and another one starts. */
export function arrive({ session, sessions, campaign }: Stored, arrival: Arrival): SessionStep {
  const { now, timeoutMs } = arrival;
  // A clock that was set back says nothing of idleness.
  const isTimedOut = session !== null && now - session.lastAction >= timeoutMs;
  const isNewCampaign = arrival.campaign !== null && !isSameCampaign(arrival.campaign, campaign);
  if (session !== null && !isTimedOut && !isNewCampaign) {
    return { session: { ...session, lastAction: now }, campaign, events: [] };
  }
  const started: Session = { id: arrival.newId, num: sessions + 1, lastAction: now };
  const closed: SessionEvent[] = session === null ? [] : [{ name: "sessionClose", session }];
  return {
    session: started,
    campaign: arrival.campaign ?? (isTimedOut ? null : campaign),
    events: [...closed, { name: "sessionStart", session: started }],
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** More sessions than anybody has; a number beyond is garbage. */
const SESSIONS_MAX = 1_000_000;

/** Whether `text` is an id of ours. */
export function isUuid(text: string | null): text is string {
  return text !== null && UUID.test(text);
}

/** The session of three stored texts, whatever somebody else has made of them. */
export function readSession(
  id: string | null,
  num: string | null,
  lastAction: string | null,
): Pick<Stored, "session" | "sessions"> {
  const sessions = wholeNumber(num, SESSIONS_MAX) ?? 0;
  const acted = wholeNumber(lastAction, Number.MAX_SAFE_INTEGER);
  const isWhole = isUuid(id) && sessions > 0 && acted !== null;
  return { sessions, session: isWhole ? { id, num: sessions, lastAction: acted } : null };
}

function wholeNumber(text: string | null, max: number): number | null {
  const number = text !== null && /^\d{1,16}$/.test(text) ? Number(text) : null;
  return number !== null && number <= max ? number : null;
}
