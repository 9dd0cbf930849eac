// What every event says about the browser: its system, its name, and whether it is on a phone (docs/tracking.md#metadata).

import type { EventMetadata } from "../../generated/wire.ts";

/** Names by a pattern in the user agent. The first match counts, since a user agent names other browsers, too. */
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

/** The facts in `userAgent`. An iPad that says it is a Mac is known by its touch points. */
export function browserFactsOf(
  userAgent: string,
  touchPoints: number,
): Pick<EventMetadata, "os" | "mobile" | "browser"> {
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
