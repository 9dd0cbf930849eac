// What the form knows of the shopper's saved cards; saved-cards.ts says how it changes.

import type { BrandName } from "./brand.ts";

/** A card in the shopper's list. */
export interface ListedCard {
  /** Its `payment_method_id`. */
  readonly id: string;
  readonly lastFour: string;
  /** Null if the brand is not in the table. */
  readonly brand: BrandName | null;
  readonly expirationMonth: number;
  /** Four digits. */
  readonly expirationYear: number;
}

/** The message key of the danger card. */
export type SavedCardsTrouble = "saved_cards_error" | "card_not_removed" | "card_unavailable";

/** The list and its state. */
export interface SavedCards {
  /**
   * "none": saved cards are not offered. "loading": the shopper has some, and their placeholder is shown. "awaited": the
   * form of a new card is shown, and the list may still come.
   */
  readonly list: "none" | "loading" | "awaited" | "loaded" | "failed";
  /** The list came after the shopper had begun with a new card; the form of the new card stays in its place. */
  readonly late: boolean;
  readonly cards: readonly ListedCard[];
  /** The id of the selected card. */
  readonly selected: string | null;
  /** The id of the card whose removal the shopper must confirm. */
  readonly confirming: string | null;
  /** Removed cards for which the server has not answered yet, with their place in the list. */
  readonly leaving: readonly { readonly card: ListedCard; readonly place: number }[];
  /** Whether the snackbar shows. */
  readonly saidRemoved: boolean;
  readonly trouble: SavedCardsTrouble | null;
}
