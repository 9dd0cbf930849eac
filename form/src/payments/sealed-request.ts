// Seals the card in a direct charge before it leaves the page.

import type { DirectCharge, FormPage } from "../../generated/wire.ts";
import { claimsOf } from "./client-secret.ts";
import { sealCard } from "./seal.ts";

/**
 * `request` with number and security code sealed. Without WebCrypto or a key they cannot be sealed: then it is the
 * unchanged request, which https protects, if the service accepts that, and null if it does not. Never throws.
 */
export async function withSealedCard(
  request: DirectCharge,
  { card_key, accepts_plain_cards }: Pick<FormPage, "card_key" | "accepts_plain_cards">,
  clientSecret: string,
): Promise<DirectCharge | null> {
  const { number, security_code = "", ...card } = request.payment_method.card;
  const fields = number === undefined ? { security_code } : { number, security_code };
  try {
    if (card_key !== null) {
      const { charge_id = "", jti = "" } = claimsOf(clientSecret);
      const sealed = await sealCard(fields, card_key, { charge_id, jti });
      return { ...request, payment_method: { ...request.payment_method, card: { ...card, sealed } } };
    }
  } catch (error) {
    // The error has no value of the card in it.
    console.warn("The card could not be sealed.", error);
  }
  return accepts_plain_cards ? request : null;
}
