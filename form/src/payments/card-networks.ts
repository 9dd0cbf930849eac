// Looks up the networks of a card number by its first eight digits, once for each (docs/calls.md#card-networks). Without an
// answer the shopper pays without a choice.

import type { NetworkRange } from "../../generated/wire.ts";
import { brandNamed } from "../card/brand.ts";
import { authorisation, type Caller } from "./charges.ts";

const ANSWER_TIMEOUT_MS = 10_000;

/** The networks for each length of a number; none if they cannot be looked up. Never throws. */
export async function lookUpNetworks(prefix: string, caller: Caller): Promise<NetworkRange[]> {
  try {
    const response = await fetch(`${caller.service.base}/v1/pub/card-networks`, {
      method: "POST",
      headers: { ...authorisation(caller), "Content-Type": "application/json" },
      body: JSON.stringify({ prefix }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const { ranges } = (await response.json()) as { ranges: NetworkRange[] };
    return ranges.filter(({ networks }) => networks.every(brandNamed));
  } catch {
    return [];
  }
}
