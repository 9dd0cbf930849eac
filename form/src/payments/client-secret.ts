// Reads what a client secret claims (docs/calls.md#client-secret). The server checks the signature; the page
// only needs to know whom the token speaks for, and that it belongs to the charge that the page shows.

import type { ChargeIntent, ClientSecretClaims } from "../../generated/wire.ts";
import { isAllowed } from "../parent/origins.ts";

/** What can be wrong with a token. */
type Fault = "must be a string" | "missing part" | "invalid base64" | "invalid json";

/** A client secret that cannot be read. Its message never repeats the token. */
export class InvalidTokenError extends Error {
  constructor(fault: Fault) {
    super(`Invalid client secret: ${fault}`);
  }
}

/** What of a client secret the page reads. The server signed it, but not necessarily ours: nothing is sure to be there. */
type Claims = Partial<Pick<ClientSecretClaims, "sub" | "charge_id" | "allowed_origins" | "jti">>;

/** The partner id of `clientSecret`. Throws {@link InvalidTokenError}. */
export function partnerIdOf(clientSecret: unknown): string {
  return claimsOf(clientSecret).sub ?? "";
}

/** What a page's client secret must be for: its charge, its merchant, and a parent that this merchant allows. */
export interface ExpectedSecret extends Pick<ChargeIntent, "partnerId" | "chargeId"> {
  /** Who handed the client secret over; null where there is no parent. */
  readonly parentOrigin: string | null;
}

/** A client secret of another charge, merchant or origin. */
export class ForeignSecretError extends Error {
  constructor() {
    super("It is of another charge, merchant or origin than the page.");
  }
}

/** The partner id of a client secret that is meant for this page. Throws otherwise. */
export function partnerOfOwn(clientSecret: string, meant: ExpectedSecret): string {
  const partnerId = partnerIdOf(clientSecret);
  if (isForeign(clientSecret, meant)) {
    throw new ForeignSecretError();
  }
  return partnerId;
}

/**
 * Whether `clientSecret` pays for something else than what the page shows. A page that could show one thing and pay another
 * would let any site spend a client secret that was meant for the merchant's own.
 */
function isForeign(clientSecret: string, { partnerId, chargeId, parentOrigin }: ExpectedSecret): boolean {
  const { sub, charge_id, allowed_origins } = claimsOf(clientSecret);
  return (
    // A payload without a merchant, which only the demo shows, names no other one.
    (partnerId !== "" && sub !== partnerId) ||
    charge_id !== chargeId ||
    (parentOrigin !== null && Array.isArray(allowed_origins) && !isAllowed(parentOrigin, allowed_origins))
  );
}

/** What `clientSecret` claims of whom it speaks for. Throws {@link InvalidTokenError}. */
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
    // Claims that are `null` have no fields to read and throw, too.
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

/** The text in UTF-8 that `base64` stands for. */
function fromBase64Url(base64: string): string {
  const bytes = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
