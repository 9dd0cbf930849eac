// What is told of a visit to the form, and what is not: where, in which browser, and who, unless the shopper does not
// want to be known (docs/tracking.md).

import {
  EVENT_TEXT_CHARACTERS_MAX,
  type EventKind,
  type FormPage,
  type Tracking,
} from "../../generated/wire.ts";
import type { LookUps } from "../effects.ts";
import type { FormStore } from "../form-store.ts";
import { addressToTell } from "./campaign.ts";
import { eventData } from "./event-data.ts";
import { createVisitor, type Visitor } from "./identity.ts";
import { inCookies, inLocalStorage, inMemory } from "./kept-values.ts";
import { surroundingsOf } from "./surroundings.ts";
import type { About } from "./tracker.ts";

/** What browsers tell of their users' wishes. */
export interface PrivacySettings {
  readonly globalPrivacyControl?: boolean;
  readonly doNotTrack?: string | null;
}

/** Whether the shopper has said not to be tracked, in either way that browsers have for it. */
export function isPrivate({ globalPrivacyControl, doNotTrack }: PrivacySettings): boolean {
  return globalPrivacyControl === true || doNotTrack === "1";
}

/** The visitor that the browser remembers; one that nobody remembers, and without a cookie id, where that is wanted. */
export function visitorOf(
  { cookie_id }: FormPage,
  { session_timeout_ms }: Tracking,
  unknown: boolean,
): Visitor {
  const newId = () => crypto.randomUUID();
  if (unknown) {
    return createVisitor("", session_timeout_ms, { cookies: inMemory(), storage: inMemory(), newId });
  }
  const cookies = inCookies(document, {
    secure: window.location.protocol === "https:",
    framed: window.parent !== window,
  });
  const storage = inLocalStorage(() => window.localStorage);
  return createVisitor(cookie_id, session_timeout_ms, { cookies, storage, newId });
}

/** What stands in every event; of an unknown visitor neither address nor the browser's whole description. */
export function aboutOf({ context, options }: FormPage, { facts }: LookUps, unknown: boolean): () => About {
  const { userAgent, maxTouchPoints } = navigator;
  const { location } = window;
  const about: Omit<About, "ip"> = {
    fullUrl: unknown ? location.origin + location.pathname : addressToTell(location),
    libraryVersion: context.version,
    domainName: location.hostname,
    userAgent: unknown ? "" : userAgent.slice(0, EVENT_TEXT_CHARACTERS_MAX),
    ...surroundingsOf(userAgent, maxTouchPoints),
    ...(options.event_attributes === null || unknown
      ? {}
      : { attributes: eventData(options.event_attributes) }),
  };
  return () => ({ ...about, ip: unknown ? "" : facts.ipAddress });
}

/** The page that was opened. */
export function pageViewOf(
  { context, standalone, options, features }: FormPage,
  { config }: FormStore,
): Omit<Extract<EventKind, { type: "page-view" }>, "type"> {
  return {
    title: document.title.slice(0, EVENT_TEXT_CHARACTERS_MAX),
    path: window.location.pathname,
    referrerUrl: originOf(document.referrer),
    locale: context.locale,
    additionalInfo: {
      place: standalone ? "standalone" : (options.variant ?? "embedded"),
      redesign: features["pop-646-card-form-ui-redesign"],
      fields: config.fields.length,
      offers_saved_cards: config.offersSavedCards,
      offers_saving: config.offersSaving,
    },
  };
}

/** The merchant's address may say more than where the shopper comes from. */
function originOf(referrer: string): string {
  try {
    return new URL(referrer).origin;
  } catch {
    return "";
  }
}
