// The ids by which tracking knows a browser: device id, anonymous id, cookie id and session. They are kept for the next
// visit (docs/tracking.md#sessions-and-identities). None of them says who the shopper is.

import { type Campaign, storedCampaign } from "./campaign.ts";
import type { KeptValues } from "./kept-values.ts";
import { arrive, isUuid, readSession, type SessionStep } from "./session.ts";

const DEVICE_ID = "cardform-device-id";
const ANONYMOUS_ID = "cardform-anonymous-id";
const SESSION_ID = "cardform-session-id";
const SESSION_NUM = "cardform-session-num";
const LAST_ACTION = "cardform-last-action";
const CAMPAIGN = "cardform-campaign";
const VIEWED = "cardform-viewed";

/** How many viewed experiments are kept; older ones are reported again. */
const VIEWED_MAX = 100;

export type Visitor = ReturnType<typeof createVisitor>;

export interface VisitorEnvironment {
  readonly cookies: KeptValues;
  /** The campaign and the viewed experiments, which are not sent to the server. */
  readonly storage: KeptValues;
  readonly newId: () => string;
}

/** The visitor whose ids the browser has kept, or a new one. `cookieId` is empty if the shopper has none. */
export function createVisitor(cookieId: string, timeoutMs: number, world: VisitorEnvironment) {
  const { cookies, storage, newId } = world;

  return {
    identity: { deviceId: deviceId(), anonymousId: anonymousId(), cookieId },
    /** The shopper did something at `now`. `campaign` is from the address when the page opens, and null later. */
    act: (now: number, campaign: Campaign | null): SessionStep => {
      const stored = {
        ...readSession(cookies.get(SESSION_ID), cookies.get(SESSION_NUM), cookies.get(LAST_ACTION)),
        campaign: storedCampaign(storage.get(CAMPAIGN)),
      };
      const step = arrive(stored, { now, campaign, timeoutMs, newId: newId() });
      cookies.set(LAST_ACTION, String(step.session.lastAction));
      if (step.events.length > 0) {
        cookies.set(SESSION_ID, step.session.id);
        cookies.set(SESSION_NUM, String(step.session.num));
        keepCampaign(step.campaign);
      }
      return step;
    },
    /** Whether this is the first time that `experiment` is seen in the session. */
    sees: (experiment: string, sessionId: string): boolean => {
      const [of, ...experiments] = namesIn(storage.get(VIEWED));
      const viewed = of === sessionId ? experiments : [];
      if (viewed.includes(experiment)) {
        return false;
      }
      storage.set(VIEWED, JSON.stringify([sessionId, ...[...viewed, experiment].slice(-VIEWED_MAX)]));
      return true;
    },
  };

  function keepCampaign(campaign: Campaign | null): void {
    if (campaign === null) {
      storage.forget(CAMPAIGN);
    } else {
      storage.set(CAMPAIGN, JSON.stringify(campaign));
    }
  }

  function deviceId(): string {
    const kept = cookies.get(DEVICE_ID);
    const id = isUuid(kept) ? kept : newId();
    cookies.set(DEVICE_ID, id);
    return id;
  }

  /** Another cookie id means another shopper on the same device. */
  function anonymousId(): string {
    const [kept = null, of] = (cookies.get(ANONYMOUS_ID) ?? "").split(".");
    const whose = fingerprint(cookieId);
    const id = isUuid(kept) && of === whose ? kept : newId();
    cookies.set(ANONYMOUS_ID, `${id}.${whose}`);
    return id;
  }
}

/** A short hash of `text` (FNV-1a), which tells whether the text is still the same. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash.toString(36);
}

/** The texts of a stored list; empty if it cannot be read. */
function namesIn(json: string | null): readonly string[] {
  try {
    const list: unknown = JSON.parse(json ?? "[]");
    return Array.isArray(list) && list.every((name) => typeof name === "string") ? list : [];
  } catch {
    return [];
  }
}
