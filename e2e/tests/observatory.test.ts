// Checks what MDN's HTTP Observatory gives points for, on pages that the service serves over https.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { expect } from "vitest";

import { type SecureService, startSecureService } from "../src/secure-service.ts";
import { test as base, startAndStop } from "../src/test.ts";

const test = base.extend("secureService", { scope: "file" }, startAndStop(startSecureService));

const SHOP = "https://shop.example";

test.for([
  ["the payment page", ({ query }: SecureService) => `/${query}`, 200, SHOP, ["coda-cookie-id"]],
  [
    "the payment page in a language",
    ({ query }: SecureService) => `/th-TH${query}`,
    200,
    SHOP,
    ["coda-cookie-id", "i18n_redirected"],
  ],
  ["a page without a payload", () => "/", 400, "*", []],
  ["a page that does not exist", () => "/nowhere/at/all", 404, "*", []],
] as const)("%s has safe headers and scripts", async (expected, { secureService }) => {
  const [_, path, status, frameAncestors, cookieNames] = expected;
  const request = https.get(secureService.url + path(secureService), {
    ca: readFileSync(secureService.certificate),
    // A page on another site asks.
    headers: { accept: "text/html", origin: "https://elsewhere.example" },
  });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  expect([answer.statusCode, (answer.socket as TLSSocket).authorized]).toEqual([status, true]);
  const { "set-cookie": cookies = [], ...headers } = answer.headersDistinct;
  expect(headers).toMatchObject({
    "strict-transport-security": ["max-age=63072000"],
    "x-content-type-options": ["nosniff"],
    "referrer-policy": ["no-referrer"],
    // Merchants' pages with cross-origin isolation must be able to embed the form, too.
    "cross-origin-resource-policy": ["cross-origin"],
    "content-security-policy": [expect.stringMatching(/^default-src 'none'; /)],
  });
  expect(headers).not.toHaveProperty("access-control-allow-origin");

  const policy = headers["content-security-policy"]?.[0] ?? "";
  const directives = policy.split("; ").map((directive) => directive.split(" "));
  expect(new Set(directives.map(([name]) => name)).size).toBe(directives.length);
  const sources = Object.fromEntries(directives.map(([name, ...list]) => [name, list.join(" ")]));
  expect(sources).toMatchObject({ "script-src": "'self'", "frame-ancestors": frameAncestors });
  expect(sources["style-src"]).toMatch(/^'self'( 'sha256-\S+')*$/);
  expect(sources).not.toHaveProperty("object-src");
  expect(policy).not.toMatch(/unsafe-|http:|ftp:/);

  expect(cookies.map((cookie) => cookie.split("=")[0])).toEqual(cookieNames);
  for (const cookie of cookies) expect(cookie).toMatch(/; SameSite=(None|Lax); Secure(;|$)/);

  const scripts = (await text(answer)).match(/<script\b[^>]*\ssrc\b[^>]*>/gi) ?? [];
  expect(scripts).not.toEqual([]);
  for (const script of scripts) expect(script).toMatch(/ src="\/[^"/][^"]*" integrity="sha384-[^"]{64}"/);
});

test("plain http on the port of https gets no answer", async ({ secureService }) => {
  await expect(fetch(secureService.url.replace("https:", "http:"))).rejects.toThrow("fetch failed");
});
