// The reported facts about a visit: page, browser and visitor, unless the shopper does not want to be tracked
// (docs/tracking.md).

import { EVENT_TEXT_CHARACTERS_MAX } from "../../generated/events.ts";
import type { EventKind, FormPage, Tracking } from "../../generated/wire.ts";
import type { FormStore } from "../form-store.ts";
import type { LookUps } from "../look-ups.ts";
import { browserFactsOf } from "./browser-facts.ts";
import { reportedAddress } from "./campaign.ts";
import { eventData } from "./event-data.ts";
import { createVisitor, type Visitor } from "./identity.ts";
import { inCookies, inLocalStorage, inMemory } from "./kept-values.ts";
import { randomId } from "./random-id.ts";
import type { VisitMetadata } from "./tracker.ts";

export interface PrivacySettings {
  readonly globalPrivacyControl?: boolean;
  readonly doNotTrack?: string | null;
}

/** Whether the shopper asks not to be tracked, in either of the two ways that browsers have. */
export function isPrivate({ globalPrivacyControl, doNotTrack }: PrivacySettings): boolean {
  return globalPrivacyControl === true || doNotTrack === "1";
}

/** The visitor whose ids the browser keeps. For an `unknown` visitor nothing is kept, and there is no cookie id. */
export function visitorOf(
  { cookie_id }: FormPage,
  { session_timeout_ms }: Tracking,
  unknown: boolean,
): Visitor {
  const place = { secure: location.protocol === "https:", framed: parent !== window };
  const cookies = unknown ? inMemory() : inCookies(document, place);
  const storage = unknown ? inMemory() : inLocalStorage(() => localStorage);
  return createVisitor(unknown ? "" : cookie_id, session_timeout_ms, { cookies, storage, newId: randomId });
}

/** The metadata of every event. An unknown visitor's has no IP address and no user agent. */
export function aboutOf(
  { context, options }: FormPage,
  { facts }: LookUps,
  unknown: boolean,
): () => VisitMetadata {
  const { userAgent, maxTouchPoints } = navigator;
  const about: Omit<VisitMetadata, "ip"> = {
    fullUrl: unknown ? location.origin + location.pathname : reportedAddress(location),
    libraryVersion: context.version,
    domainName: location.hostname,
    userAgent: unknown ? "" : userAgent.slice(0, EVENT_TEXT_CHARACTERS_MAX),
    ...browserFactsOf(userAgent, maxTouchPoints),
    ...(options.event_attributes === null || unknown
      ? {}
      : { attributes: eventData(options.event_attributes) }),
  };
  return () => ({ ...about, ip: unknown ? "" : facts.ipAddress });
}

export function pageViewOf(
  { context, standalone, options, features }: FormPage,
  { config }: FormStore,
): Omit<Extract<EventKind, { type: "page-view" }>, "type"> {
  return {
    // Not the document's own title: on the payment page that has the amount and the merchant's name.
    title: String(context.messages.pay_with_card).slice(0, EVENT_TEXT_CHARACTERS_MAX),
    path: location.pathname,
    // Only the origin: the rest of the merchant's address may say too much.
    referrerUrl: URL.canParse(document.referrer) ? new URL(document.referrer).origin : "",
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
