// Reads the partner id out of a client secret (specification, point 6). The server checks the signature; the page
// only needs to know whom the token speaks for.

import { jwtDecode } from "jwt-decode";

import type { ClientSecretClaims } from "../../generated/wire.ts";

/**
 * The partner id of `clientSecret`. Throws `InvalidTokenError` with one of the four errors of point 8: must be a
 * string, missing part, invalid base64, invalid json.
 */
export function partnerIdOf(clientSecret: string): string {
  return jwtDecode<Partial<ClientSecretClaims>>(clientSecret).sub ?? "";
}
