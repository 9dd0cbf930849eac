// Reads the campaign from an address, and reports nothing else of it.

import { describe, expect, it } from "vitest";

import { campaignIn, isSameCampaign, NO_CAMPAIGN, reportedAddress, storedCampaign } from "./campaign.ts";

const ALL =
  "?cid=c7&campaign_id=9&utm_campaign=spring&utm_source=news&utm_medium=email&utm_content=top&utm_term=gems";

describe("a campaign", () => {
  it("has the fields of the address", () => {
    const campaign = {
      cid: "c7",
      campaignId: "9",
      utmCampaign: "spring",
      utmSource: "news",
      utmMedium: "email",
      utmContent: "top",
      utmTerm: "gems",
    };
    expect(campaignIn(ALL)).toEqual(campaign);
    expect(storedCampaign(JSON.stringify(campaign))).toEqual(campaign);
    expect(campaignIn("?utm_source=news")).toEqual({ ...NO_CAMPAIGN, utmSource: "news" });
  });

  it.each(["", "?payload=CgR%2B", "?utm_source=", "?UTM_SOURCE=news"])("is none in %j", (search) => {
    expect(campaignIn(search)).toBeNull();
  });

  it.each([
    "sam@example.com",
    "sam%40example.com",
    "4242 4242 4242 4242",
    "4242-4242-4242-4242",
    "424242424242424",
    "x".repeat(201),
  ])("has nothing personal in it: %s", (value) => {
    expect(campaignIn(`?utm_content=${encodeURIComponent(value)}`)).toBeNull();
    expect(storedCampaign(JSON.stringify({ utmContent: value }))).toBeNull();
  });

  it.each([null, "", "{", "null", "7", "[]", '{"cid":7}'])("is none when %j is stored", (json) => {
    expect(storedCampaign(json)).toBeNull();
  });

  it("is another one when any field is", () => {
    expect(isSameCampaign(campaignIn(ALL), campaignIn(ALL))).toBe(true);
    expect(isSameCampaign(campaignIn(ALL), campaignIn(ALL.replace("gems", "coins")))).toBe(false);
    expect(isSameCampaign(campaignIn(ALL), null)).toBe(false);
  });
});

describe("the reported address", () => {
  const told = (address: string) => reportedAddress(new URL(address));

  it("has origin, path and campaign, and nothing else", () => {
    const address =
      "https://pay.example/th-TH?payload=CgR%2B&options=%7B%22cardholder_email%22%3A%22sam%40example.com%22%7D" +
      "&customStyle=%7B%7D&init_time=1&utm_source=news+letter&origin=x#client_secret=eyJ";
    expect(told(address)).toBe("https://pay.example/th-TH?utm_source=news%20letter");
    expect(told("https://pay.example/?payload=x#client_secret=y")).toBe("https://pay.example/");
  });

  it("is never longer than the limit of an event", () => {
    const long = encodeURIComponent("ก".repeat(200));
    expect(told(`https://pay.example/?cid=${long}&utm_term=${long}`)).toBe("https://pay.example/");
  });
});
