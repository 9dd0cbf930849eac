// Encrypts the typed card so that only the service can read it: a compact JWE (RFC 7516) with ECDH-ES over P-256 and
// A256GCM (RFC 7518), made with the browser's own cryptography. A proxy, a log or a trace in between cannot read the card.

import type { Card, CardKey, ClientSecretClaims } from "../../generated/wire.ts";

/** The fields of a card that are sealed; of a saved card the security code only. */
type CardFields = Pick<Card, "number" | "security_code">;

/** A sealed card can pay only this charge, and only with this client secret. */
type SealedFor = Pick<ClientSecretClaims, "charge_id" | "jti">;

const CURVE = { name: "ECDH", namedCurve: "P-256" };
const CIPHER = "A256GCM";
const KEY_BITS = 256;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Throws if the browser has no WebCrypto, as in a page over plain http. */
export async function sealCard(fields: CardFields, key: CardKey, meant: SealedFor): Promise<string> {
  const { subtle } = crypto;
  const { kid, kty, crv, x, y } = key;
  const [own, theirs] = await Promise.all([
    subtle.generateKey(CURVE, false, ["deriveBits"]),
    subtle.importKey("jwk", { kty, crv, x, y }, CURVE, false, []),
  ]);
  const [epk, shared] = await Promise.all([
    subtle.exportKey("jwk", own.publicKey),
    subtle.deriveBits({ name: "ECDH", public: theirs }, own.privateKey, KEY_BITS),
  ]);
  // RFC 7518, 4.6.2: one round; the algorithm, no information about the parties, and the key's length.
  const derived = await subtle.digest(
    "SHA-256",
    joined([uint32(1), shared, uint32(CIPHER.length), utf8(CIPHER), uint32(0), uint32(0), uint32(KEY_BITS)]),
  );
  const ownKey = { kty: epk.kty, crv: epk.crv, x: epk.x, y: epk.y };
  const header = base64Url(utf8(JSON.stringify({ alg: "ECDH-ES", enc: CIPHER, kid, epk: ownKey, ...meant })));
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const cipher = await subtle.importKey("raw", derived, "AES-GCM", false, ["encrypt"]);
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData: utf8(header) };
  const sealed = new Uint8Array(await subtle.encrypt(algorithm, cipher, utf8(JSON.stringify(fields))));
  const tag = sealed.length - TAG_BYTES;
  return [header, "", ...[nonce, sealed.subarray(0, tag), sealed.subarray(tag)].map(base64Url)].join(".");
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function uint32(number: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

function joined(parts: readonly (Uint8Array | ArrayBuffer)[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...new Uint8Array(part)]));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
