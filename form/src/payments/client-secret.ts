// Reads the claims of a client secret (docs/calls.md#client-secret). The server checks the signature. The page only needs
// the partner id, and must know that the client secret is for the charge that it shows.

import type { ChargeIntent, ClientSecretClaims } from "../../generated/wire.ts";
import { isAllowed } from "../parent/origins.ts";

type Fault = "must be a string" | "missing part" | "invalid base64" | "invalid json";

/** A client secret that cannot be read. Its message never repeats the token. */
export class InvalidTokenError extends Error {
  constructor(fault: Fault) {
    super(`Invalid client secret: ${fault}`);
  }
}

/** The claims that the page reads. The signature is not checked here, so any claim may be missing. */
type Claims = Partial<Pick<ClientSecretClaims, "sub" | "charge_id" | "allowed_origins" | "jti">>;

/** A page accepts a client secret only for its charge, its merchant, and a parent that the merchant allows. */
export interface ExpectedSecret extends Pick<ChargeIntent, "partnerId" | "chargeId"> {
  /** The origin of the parent that handed it over; null if there is no parent. */
  readonly parentOrigin: string | null;
}

export class ForeignSecretError extends Error {
  constructor() {
    super("It is for another charge, merchant or origin than the page.");
  }
}

/**
 * The partner id of a client secret. Throws if it cannot be read, or is for something else than the page shows. Without
 * this check any site could show one charge and have the shopper pay another.
 */
export function partnerOfOwn(
  clientSecret: string,
  { partnerId, chargeId, parentOrigin }: ExpectedSecret,
): string {
  const { sub = "", charge_id, allowed_origins } = claimsOf(clientSecret);
  const isOwn =
    // Only the demo shows a payload without a merchant; it fits every merchant.
    (partnerId === "" || sub === partnerId) &&
    charge_id === chargeId &&
    (parentOrigin === null || !Array.isArray(allowed_origins) || isAllowed(parentOrigin, allowed_origins));
  if (!isOwn) {
    throw new ForeignSecretError();
  }
  return sub;
}

/** The claims of `clientSecret`. Throws {@link InvalidTokenError}. */
export function claimsOf(clientSecret: unknown): Claims {
  if (typeof clientSecret !== "string") {
    throw new InvalidTokenError("must be a string");
  }
  const claims = clientSecret.split(".")[1];
  if (claims === undefined) {
    throw new InvalidTokenError("missing part");
  }
  const json = attempt("invalid base64", () => fromBase64Url(claims));
  return attempt("invalid json", () => {
    // JSON `null` has no fields, so this throws for it, too.
    const { sub, charge_id, allowed_origins, jti } = JSON.parse(json) as ClientSecretClaims;
    return { sub, charge_id, allowed_origins, jti };
  });
}

function attempt<T>(fault: Fault, read: () => T): T {
  try {
    return read();
  } catch {
    throw new InvalidTokenError(fault);
  }
}

function fromBase64Url(base64: string): string {
  const bytes = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
