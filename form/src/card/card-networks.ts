// Between which networks of a card the shopper can choose (docs/rules.md#card-networks).

import type { BrandName } from "./brand.ts";
import { onlyDigits } from "./characters.ts";
import { brandOf, type FormConfig, type FormState, type ListedCard, selectedCard } from "./form-state.ts";

/** How many of a number's first digits are enough to find its networks. No more are sent. */
export const NETWORK_PREFIX_LENGTH = 8;

const NONE: readonly BrandName[] = [];

/** The digits by which the networks of a number are looked up. */
export function networkPrefix({ fields }: FormState): string {
  return onlyDigits(fields.cardNumber.text).slice(0, NETWORK_PREFIX_LENGTH);
}

/** The networks of the card to pay with: two if the shopper can choose. */
export function networksOf(state: FormState): readonly BrandName[] {
  if (state.method === "saved") {
    return selectedCard(state)?.networks ?? NONE;
  }
  const { length } = onlyDigits(state.fields.cardNumber.text);
  return state.networks[networkPrefix(state)]?.find((range) => range.length === length)?.networks ?? NONE;
}

/** The network that carries the payment: the shopper's choice, or else the merchant's, or else the first. */
export function networkOf(config: FormConfig, state: FormState): BrandName | null {
  return networkOfCard(config, {
    networks: networksOf(state),
    network: selectedCard(state)?.network ?? state.network,
  });
}

/** The network of one saved card. */
export function networkOfCard(
  { preferredNetworks }: FormConfig,
  { networks = NONE, network }: Pick<ListedCard, "networks" | "network">,
): BrandName | null {
  const wanted = [network, ...preferredNetworks, ...networks];
  return wanted.find((name) => name && networks.includes(name)) ?? null;
}

/** The brand of the typed number: the network, if it is known. */
export function shownBrand(config: FormConfig, state: FormState): BrandName | null {
  return networkOf(config, state) ?? brandOf(state)?.name ?? null;
}
