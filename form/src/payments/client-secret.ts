// Reads the partner id out of a client secret (specification, point 6). The server checks the signature; the page
// only needs to know whom the token speaks for.

import type { ClientSecretClaims } from "../../generated/wire.ts";

/** What can be wrong with a token (specification, point 8). */
type Fault = "must be a string" | "missing part" | "invalid base64" | "invalid json";

/** A client secret that cannot be read. Its message never repeats the token. */
export class InvalidTokenError extends Error {
  constructor(fault: Fault) {
    super(`Invalid client secret: ${fault}`);
  }
}

/** The partner id of `clientSecret`. Throws {@link InvalidTokenError}. */
export function partnerIdOf(clientSecret: unknown): string {
  if (typeof clientSecret !== "string") {
    throw new InvalidTokenError("must be a string");
  }
  const claims = clientSecret.split(".")[1];
  if (claims === undefined) {
    throw new InvalidTokenError("missing part");
  }
  const json = attempt("invalid base64", () => fromBase64Url(claims));
  return attempt("invalid json", () => (JSON.parse(json) as Partial<ClientSecretClaims>).sub) ?? "";
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
