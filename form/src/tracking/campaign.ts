// The campaign that brought the shopper, from the page's address (docs/tracking.md#metadata).

import { EVENT_URL_CHARACTERS_MAX } from "../../generated/wire.ts";

/** The campaign's fields in an event's metadata; a field that the address does not have is empty. */
export interface Campaign {
  readonly cid: string;
  readonly campaignId: string;
  readonly utmCampaign: string;
  readonly utmSource: string;
  readonly utmMedium: string;
  readonly utmContent: string;
  readonly utmTerm: string;
}

/** Each field's parameter in the address. */
const PARAMETERS: ReadonlyArray<readonly [keyof Campaign, string]> = [
  ["cid", "cid"],
  ["campaignId", "campaign_id"],
  ["utmCampaign", "utm_campaign"],
  ["utmSource", "utm_source"],
  ["utmMedium", "utm_medium"],
  ["utmContent", "utm_content"],
  ["utmTerm", "utm_term"],
];

/** No campaign. */
export const NO_CAMPAIGN: Campaign = {
  cid: "",
  campaignId: "",
  utmCampaign: "",
  utmSource: "",
  utmMedium: "",
  utmContent: "",
  utmTerm: "",
};

/** Longer values are dropped. */
const VALUE_CHARACTERS_MAX = 200;
/** An at sign, or as many digits as a card number has: such a value may be personal and is dropped. */
const PERSONAL = /@|%40|(\d[\s-]?){12}/i;

/** The campaign in an address's query; null if there is none. */
export function campaignIn(search: string): Campaign | null {
  const query = new URLSearchParams(search);
  return campaignFrom((field, parameter) => query.get(parameter) ?? NO_CAMPAIGN[field]);
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

function campaignFrom(read: (field: keyof Campaign, parameter: string) => unknown): Campaign | null {
  const values = PARAMETERS.map(([field, parameter]) => [field, presentable(read(field, parameter))]);
  const campaign = Object.fromEntries(values) as Campaign;
  return isSameCampaign(campaign, NO_CAMPAIGN) ? null : campaign;
}

function presentable(value: unknown): string {
  return typeof value === "string" && value.length <= VALUE_CHARACTERS_MAX && !PERSONAL.test(value)
    ? value
    : "";
}

/** Whether two campaigns are the same. */
export function isSameCampaign(one: Campaign | null, other: Campaign | null): boolean {
  return PARAMETERS.every(([field]) => one?.[field] === other?.[field]);
}

/** The page's address with only origin, path and campaign: no payload, no options, no fragment. */
export function reportedAddress({
  origin,
  pathname,
  search,
}: Pick<Location, "origin" | "pathname" | "search">): string {
  const campaign = campaignIn(search) ?? NO_CAMPAIGN;
  const query = PARAMETERS.flatMap(([field, parameter]) =>
    campaign[field] === "" ? [] : [`${parameter}=${encodeURIComponent(campaign[field])}`],
  );
  const address = [origin + pathname, query.join("&")].filter((part) => part !== "").join("?");
  return address.length <= EVENT_URL_CHARACTERS_MAX ? address : origin + pathname;
}
