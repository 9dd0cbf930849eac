// Each rule for a page's headers finds its fault.

import { expect, test } from "vitest";

import { findings, type ServedPage } from "../src/header-rules.ts";

const GOOD: Record<string, string> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-x'; img-src 'self' data:; frame-ancestors https://shop.example",
  "strict-transport-security": "max-age=63072000",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "set-cookie": "session=1; Secure; HttpOnly; SameSite=Lax",
};

function failed(headers: Record<string, string>, html = "", speaksPlainHttp = false): readonly string[] {
  const page: ServedPage = { headers: Object.entries(headers), html, speaksPlainHttp };
  return findings(page)
    .filter(({ passed }) => !passed)
    .map(({ result }) => result);
}

test("a page with correct headers passes", () => {
  expect(failed(GOOD, '<script type="module" src="/a.js"></script>')).toEqual([]);
});

const policy = (text: string) => ({ "content-security-policy": text });
const FRAMES = "frame-ancestors 'none'";

test.each([
  [policy(`default-src 'self' 'unsafe-inline'; ${FRAMES}`), "csp-implemented-with-unsafe-inline"],
  [policy(`script-src 'self' data:; ${FRAMES}`), "csp-implemented-with-unsafe-inline"],
  [policy(`default-src 'none'; script-src 'unsafe-eval'; ${FRAMES}`), "csp-implemented-with-unsafe-eval"],
  [
    policy(`default-src 'none'; connect-src http://a.example; ${FRAMES}`),
    "csp-implemented-with-insecure-scheme",
  ],
  [
    policy(`default-src 'none'; style-src 'unsafe-inline'; ${FRAMES}`),
    "csp-implemented-with-unsafe-inline-in-style-src-only",
  ],
  [policy("default-src 'none'; script-src 'self'"), "x-frame-options-not-implemented"],
  [{ "strict-transport-security": "max-age=60" }, "hsts-implemented-max-age-less-than-six-months"],
  [{ "referrer-policy": "unsafe-url" }, "referrer-policy-unsafe"],
  [{ "x-content-type-options": "sniff" }, "x-content-type-options-header-invalid"],
  [{ "set-cookie": "a=1; SameSite=Lax" }, "cookies-without-secure-flag"],
  [{ "set-cookie": "session=1; Secure; SameSite=Lax" }, "cookies-session-without-httponly-flag"],
  [{ "set-cookie": "a=1; Secure; SameSite=Sometimes" }, "cookies-samesite-flag-invalid"],
  [
    { "access-control-allow-origin": "https://a.example", "access-control-allow-credentials": "true" },
    "cross-origin-resource-sharing-implemented-with-universal-access",
  ],
  [{ "cross-origin-resource-policy": "everybody" }, "corp-header-invalid"],
])("%o has the result %s", (headers, result) => {
  expect(failed({ ...GOOD, ...headers })).toEqual([result]);
});

test("a script of another origin and plain http are reported", () => {
  expect(failed(GOOD, '<script src="//evil.example/a.js"></script>', true)).toEqual([
    "redirection-missing",
    "sri-not-implemented-and-external-scripts-not-loaded-securely",
  ]);
});
