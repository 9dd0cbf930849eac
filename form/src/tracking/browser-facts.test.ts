// The system and browser named by a user agent.

import { expect, it } from "vitest";

import { browserFactsOf } from "./browser-facts.ts";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)";

it.each([
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`,
    0,
    "Windows",
    false,
    "Chrome",
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
    0,
    "Windows",
    false,
    "Edge",
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 OPR/124.0.0.0`,
    0,
    "Linux",
    false,
    "Opera",
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`,
    0,
    "Chrome OS",
    false,
    "Chrome",
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36`,
    5,
    "Android",
    true,
    "Chrome",
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; SM-S921B) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    5,
    "Android",
    true,
    "Samsung Internet",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", 0, "Linux", false, "Firefox"],
  ["Mozilla/5.0 (Android 15; Mobile; rv:143.0) Gecko/143.0 Firefox/143.0", 5, "Android", true, "Firefox"],
  [`${MAC} Version/18.6 Safari/605.1.15`, 0, "macOS", false, "Safari"],
  [`${MAC} Version/18.6 Safari/605.1.15`, 5, "iOS", true, "Safari"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    5,
    "iOS",
    true,
    "Safari",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1",
    5,
    "iOS",
    true,
    "Chrome",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)",
    5,
    "iOS",
    true,
    "Safari",
  ],
  ["", 0, "", false, ""],
  ["curl/8.14.1", 0, "", false, ""],
])("%s with %i touch points", (userAgent, touchPoints, os, mobile, browser) => {
  expect(browserFactsOf(userAgent, touchPoints)).toEqual({ os, mobile, browser });
});
