// Who a browser is to the experiments: a device id, an anonymous id, a cookie id, and the session, each kept where the
// next visit finds it (docs/tracking.md#sessions-and-identities). None of them says who the shopper is.

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

/** How many viewed experiments are remembered; those beyond are told again. */
const VIEWED_MAX = 100;

export interface Identity {
  readonly deviceId: string;
  readonly anonymousId: string;
  /** Empty where the shopper has none. */
  readonly cookieId: string;
}

export interface Visitor {
  readonly identity: Identity;
  /** The shopper did something at `now`; `campaign` is the address' on opening the page, null later. */
  readonly act: (now: number, campaign: Campaign | null) => SessionStep;
  /** Whether `experiment` is seen for the first time in the session; from now on it is not. */
  readonly sees: (experiment: string, sessionId: string) => boolean;
}

export interface VisitorEnvironment {
  /** Identity and session. */
  readonly cookies: KeptValues;
  /** The campaign and the viewed experiments, which no server needs to be sent. */
  readonly storage: KeptValues;
  readonly newId: () => string;
}

/** The visitor that the browser remembers, or a new one. */
export function createVisitor(cookieId: string, timeoutMs: number, world: VisitorEnvironment): Visitor {
  const { cookies, storage, newId } = world;
  const act: Visitor["act"] = (now, campaign) => {
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
  };

  function keepCampaign(campaign: Campaign | null): void {
    if (campaign === null) {
      storage.forget(CAMPAIGN);
    } else {
      storage.set(CAMPAIGN, JSON.stringify(campaign));
    }
  }

  const sees: Visitor["sees"] = (experiment, sessionId) => {
    const [of, ...experiments] = namesIn(storage.get(VIEWED));
    const viewed = of === sessionId ? experiments : [];
    if (viewed.includes(experiment)) {
      return false;
    }
    storage.set(VIEWED, JSON.stringify([sessionId, ...[...viewed, experiment].slice(-VIEWED_MAX)]));
    return true;
  };

  return {
    identity: { deviceId: deviceId(), anonymousId: anonymousId(), cookieId },
    act,
    sees,
  };

  function deviceId(): string {
    const kept = cookies.get(DEVICE_ID);
    const id = isUuid(kept) ? kept : newId();
    cookies.set(DEVICE_ID, id);
    return id;
  }

  /** Another cookie id is another shopper at the same device. */
  function anonymousId(): string {
    const [kept = null, of] = (cookies.get(ANONYMOUS_ID) ?? "").split(".");
    const whose = fingerprint(cookieId);
    const id = isUuid(kept) && of === whose ? kept : newId();
    cookies.set(ANONYMOUS_ID, `${id}.${whose}`);
    return id;
  }
}

/** A short mark of `text`, the same for the same text (FNV-1a): enough to tell that it is another one. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash.toString(36);
}

/** The texts of a stored list; none when it is none. */
function namesIn(json: string | null): readonly string[] {
  try {
    const list: unknown = JSON.parse(json ?? "[]");
    return Array.isArray(list) && list.every((name) => typeof name === "string") ? list : [];
  } catch {
    return [];
  }
}
