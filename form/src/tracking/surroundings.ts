// What every event says of the browser: the system, the browser's name, whether it is a phone
// (docs/tracking.md#metadata).

import type { EventMetadata } from "../../generated/wire.ts";

/** What of the browser is told. */
export type Surroundings = Pick<EventMetadata, "os" | "mobile" | "browser">;

/** Names by what a user agent has in it; the first that fits counts, since browsers name others, too. */
const SYSTEMS: ReadonlyArray<readonly [RegExp, string]> = [
  [/iPhone|iPad|iPod/, "iOS"],
  [/Android/, "Android"],
  [/CrOS/, "Chrome OS"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/Linux/, "Linux"],
];
const BROWSERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR\/|Opera|OPiOS\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|CriOS\//, "Chrome"],
  [/Safari\/|AppleWebKit\//, "Safari"],
];

/** What `userAgent` tells. An iPad that says it is a Mac is known by its touch points. */
export function surroundingsOf(userAgent: string, touchPoints: number): Surroundings {
  const isTouchMac = /Macintosh/.test(userAgent) && touchPoints > 1;
  return {
    os: isTouchMac ? "iOS" : nameIn(SYSTEMS, userAgent),
    mobile: isTouchMac || /Mobi|Android|iPhone|iPad|iPod/.test(userAgent),
    browser: nameIn(BROWSERS, userAgent),
  };
}

function nameIn(names: ReadonlyArray<readonly [RegExp, string]>, userAgent: string): string {
  return names.find(([mark]) => mark.test(userAgent))?.[1] ?? "";
}
