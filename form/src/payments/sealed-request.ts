// A direct charge as it leaves the page: with its card sealed for the service.

import type { DirectCharge, FormPage } from "../../generated/wire.ts";
import { claimsOf } from "./client-secret.ts";
import { sealCard } from "./seal.ts";

/**
 * `request` with number and security code sealed. Where that cannot be done, for want of WebCrypto or of a key, it is the
 * request as it is, which https protects, if the service accepts that, and null otherwise. Never throws.
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
    // No value is in such an error.
    console.warn("The card could not be sealed.", error);
  }
  return accepts_plain_cards ? request : null;
}
