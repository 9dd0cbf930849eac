// The return address keeps what the merchant wrote.

import { expect, test } from "vitest";

import { returnAddress } from "./return-address.ts";

const TOLD = { charge_id: "ch_1", status: "succeeded", locale: "fr-FR" } as const;
const QUERY = "charge_id=ch_1&status=succeeded&locale=fr-FR";

test.each([
  ["https://shop.example/thanks", `https://shop.example/thanks?${QUERY}`],
  ["https://shop.example", `https://shop.example?${QUERY}`],
  ["https://shop.example/?", `https://shop.example/?${QUERY}`],
  ["https://shop.example/?order=a%20b+c&x", `https://shop.example/?order=a%20b+c&x&${QUERY}`],
  ["https://shop.example/#/done?x=1", `https://shop.example/?${QUERY}#/done?x=1`],
  ["https://shop.example/?a=1?b#c", `https://shop.example/?a=1?b&${QUERY}#c`],
  ["https://shop.example/?status=mine&a=1&locale", `https://shop.example/?a=1&${QUERY}`],
])("%s", (returnUrl, expected) => {
  expect(returnAddress(returnUrl, TOLD)).toBe(expected);
});
