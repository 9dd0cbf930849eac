// The campaign that brought the shopper, from the page's address (docs/tracking.md#metadata).

import { EVENT_URL_CHARACTERS_MAX } from "../../generated/events.ts";

/** The campaign's fields in an event's metadata, each with its parameter in the address. */
const PARAMETERS = {
  cid: "cid",
  campaignId: "campaign_id",
  utmCampaign: "utm_campaign",
  utmSource: "utm_source",
  utmMedium: "utm_medium",
  utmContent: "utm_content",
  utmTerm: "utm_term",
} as const;
const FIELDS = Object.keys(PARAMETERS) as (keyof typeof PARAMETERS)[];

/** A field that the address does not have is empty. */
export type Campaign = Readonly<Record<keyof typeof PARAMETERS, string>>;

export const NO_CAMPAIGN = campaignOf(() => "");

/** Longer values are dropped. */
const VALUE_CHARACTERS_MAX = 200;
/** An at sign, or as many digits as a card number has: such a value may be personal and is dropped. */
const PERSONAL = /@|%40|(\d[\s-]?){12}/i;

/** The campaign in an address's query; null if there is none. */
export function campaignIn(search: string): Campaign | null {
  const query = new URLSearchParams(search);
  return campaignFrom((field) => query.get(PARAMETERS[field]));
}

/** The campaign that was stored as JSON; null if it cannot be read. */
export function storedCampaign(json: string | null): Campaign | null {
  try {
    const fields = JSON.parse(json ?? "null") as Readonly<Record<string, unknown>> | null;
    return campaignFrom((field) => fields?.[field]);
  } catch {
    return null;
  }
}

function campaignFrom(read: (field: keyof Campaign) => unknown): Campaign | null {
  const campaign = campaignOf((field) => presentable(read(field)));
  return isSameCampaign(campaign, NO_CAMPAIGN) ? null : campaign;
}

function campaignOf(read: (field: keyof Campaign) => string): Campaign {
  return Object.fromEntries(FIELDS.map((field) => [field, read(field)])) as Campaign;
}

function presentable(value: unknown): string {
  return typeof value === "string" && value.length <= VALUE_CHARACTERS_MAX && !PERSONAL.test(value)
    ? value
    : "";
}

export function isSameCampaign(one: Campaign | null, other: Campaign | null): boolean {
  return FIELDS.every((field) => one?.[field] === other?.[field]);
}

/** The page's address with only origin, path and campaign: no payload, no options, no fragment. */
export function reportedAddress({
  origin,
  pathname,
  search,
}: Pick<Location, "origin" | "pathname" | "search">): string {
  const campaign = campaignIn(search) ?? NO_CAMPAIGN;
  const query = FIELDS.filter((field) => campaign[field] !== "").map(
    (field) => `${PARAMETERS[field]}=${encodeURIComponent(campaign[field])}`,
  );
  const address = [origin + pathname, query.join("&")].filter((part) => part !== "").join("?");
  return address.length <= EVENT_URL_CHARACTERS_MAX ? address : origin + pathname;
}
