// The calls about saved cards: the shopper's list, and removing one card (docs/calls.md#saved-cards).

import { type BrandName, brandNamed } from "../card/brand.ts";
import type { ListedCard } from "../card/form.ts";
import { authorisation, type Caller, errorOf } from "./charges.ts";

const PAGE = "page_size=5&page_number=1";
/** For the list; a removal waits as long. */
const ANSWER_TIMEOUT_MS = 10_000;

/** The shopper's cards; null if they cannot be loaded. Never throws. */
export async function listSavedCards(shopperId: string, caller: Caller): Promise<ListedCard[] | null> {
  try {
    const path = `${caller.service.base}/v1/pub/shoppers/${encodeURIComponent(shopperId)}/payment-methods?${PAGE}`;
    const response = await fetch(path, {
      headers: authorisation(caller),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return response.ok ? savedCards(await response.json()) : failed("answered", response.status);
  } catch (error) {
    return failed("failed", error);
  }
}

function failed(how: string, why: unknown): null {
  console.warn(`fetch saved cards error: ${how}`, why);
  return null;
}

/** Removes a card and returns whether it is gone. A card that the server no longer has is gone, too. Never throws. */
export async function removeSavedCard(id: string, shopperId: string, caller: Caller): Promise<boolean> {
  try {
    const response = await fetch(`${caller.service.base}/v1/pub/payment-methods/${encodeURIComponent(id)}`, {
      method: "DELETE",
      headers: { ...authorisation(caller), "Content-Type": "application/json" },
      body: JSON.stringify({ shopper_id: shopperId }),
      // The request continues if the shopper leaves the page.
      keepalive: true,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    // Only our server's answer counts; a captive portal's page does not.
    return (
      response.status === 204 ||
      errorOf(response.status, await response.json().catch(() => null))?.code === "payment_method_not_found"
    );
  } catch (error) {
    console.warn("a saved card was not removed", error);
    return false;
  }
}

/** The entries of an answer, which may be anything. Throws if it has no list. */
export function listItems(answer: unknown): (Record<string, unknown> | undefined)[] {
  const { items } = answer as { items: unknown[] };
  return items.map((item) => (item as { card?: Record<string, unknown> } | null)?.card);
}

/** The cards in an answer, without entries that are not cards. Throws if it has no list. */
export function savedCards(answer: unknown): ListedCard[] {
  return listItems(answer).flatMap((card) => {
    if (typeof card?.payment_method_id !== "string" || typeof card.last_four !== "string") {
      return [];
    }
    return [
      {
        id: card.payment_method_id,
        lastFour: card.last_four,
        brand: brandNamed(String(card.brand))?.name ?? null,
        expirationMonth: Number(card.expiration_month),
        expirationYear: Number(card.expiration_year),
        nickname: typeof card.nickname === "string" ? card.nickname : null,
        networks: namesOf(card.networks),
        network: namesOf([card.network])[0] ?? null,
      },
    ];
  });
}

/** The brands of a list that this page knows. */
function namesOf(list: unknown): BrandName[] {
  return Array.isArray(list) ? list.flatMap((name) => brandNamed(String(name))?.name ?? []) : [];
}
