// The card page's SDK that Cardform serves at `/sdk/cards.js`. It takes the page's address from its own.

import { type Cards, type MountCardsOptions, mountCards as mountAt } from "./cards.ts";

/** Like `MountCardsOptions`, but `url` may be absent: then the card page is at the origin of this script. */
export type ServedMountCardsOptions = Omit<MountCardsOptions, "url"> &
  Partial<Pick<MountCardsOptions, "url">>;

/** Shows the card page of a session inside `target`; see `mountCards` of `@cardform/js/cards`. */
export function mountCards(target: string | Element, options: ServedMountCardsOptions): Cards {
  return mountAt(target, { url: new URL(import.meta.url).origin, ...options });
}
