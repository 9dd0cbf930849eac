import { createDecipheriv, createECDH, createHash } from "node:crypto";
import { expect, test } from "vitest";

import { sealCard } from "./seal.ts";

/** The service's key, and what opens a compact JWE with it, by another library than the browser's. */
function service() {
  const own = createECDH("prime256v1");
  const point = own.generateKeys();
  const coordinate = (at: number) => point.subarray(at, at + 32).toString("base64url");
  const key = { kid: "sig_1", kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33) };
  const open = (text: string) => {
    const [header = "", encryptedKey, nonce = "", content = "", tag = ""] = text.split(".");
    expect(encryptedKey).toBe("");
    const bytes = (part: string) => Buffer.from(part, "base64url");
    const said = JSON.parse(bytes(header).toString("utf8"));
    const shared = own.computeSecret(Buffer.concat([Buffer.of(4), bytes(said.epk.x), bytes(said.epk.y)]));
    const info = Buffer.from(
      `00000007${Buffer.from("A256GCM").toString("hex")}000000000000000000000100`,
      "hex",
    );
    const secret = createHash("sha256")
      .update(Buffer.of(0, 0, 0, 1))
      .update(shared)
      .update(info)
      .digest();
    const cipher = createDecipheriv("aes-256-gcm", secret, bytes(nonce));
    cipher.setAAD(Buffer.from(header));
    cipher.setAuthTag(bytes(tag));
    return {
      said,
      content: JSON.parse(cipher.update(bytes(content)).toString("utf8") + cipher.final("utf8")),
    };
  };
  return { key, open };
}

const FIELDS = { number: "4242424242424242", security_code: "123" };
const MEANT = { charge_id: "ch_1", jti: "tok_1" };

test("a sealed card opens with the service's key, for its charge and secret", async () => {
  const { key, open } = service();
  const { said, content } = open(await sealCard(FIELDS, key, MEANT));
  expect(content).toEqual(FIELDS);
  expect(said).toEqual({
    alg: "ECDH-ES",
    enc: "A256GCM",
    kid: "sig_1",
    epk: { kty: "EC", crv: "P-256", x: expect.any(String), y: expect.any(String) },
    ...MEANT,
  });
});

test("each seal has its own key and nonce, and no readable part of the card", async () => {
  const { key } = service();
  const sealed = await Promise.all(Array.from({ length: 8 }, () => sealCard(FIELDS, key, MEANT)));
  expect(new Set(sealed.map((text) => text.split(".")[0])).size).toBe(8);
  expect(new Set(sealed.map((text) => text.split(".")[2])).size).toBe(8);
  const readable = sealed.flatMap((text) => [
    text,
    ...text.split(".").map((part) => Buffer.from(part, "base64url").toString("latin1")),
  ]);
  expect(readable.join("\n")).not.toContain("4242");
});

test("a saved card's security code is sealed alone", async () => {
  const { key, open } = service();
  expect(open(await sealCard({ security_code: "123" }, key, MEANT)).content).toEqual({
    security_code: "123",
  });
});

test("a key that is no point of the curve seals nothing", async () => {
  const { key } = service();
  await expect(sealCard(FIELDS, { ...key, y: key.x }, MEANT)).rejects.toThrow();
});
