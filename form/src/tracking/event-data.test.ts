// What of a merchant's or of our own data is told (docs/tracking.md#metadata).

import { expect, it } from "vitest";

import { EVENT_DATA_ENTRIES_MAX } from "../../generated/events.ts";
import type { EventValue } from "../../generated/wire.ts";
import { eventData } from "./event-data.ts";

it("words, numbers and flags are kept", () => {
  const data = { plan: "gold", seats: 3, trial: true, "ab.test": "b/2", none: "" };
  expect(eventData(data)).toEqual(data);
});

it.each<[string, EventValue]>([
  ["email", "sam@example.com"],
  ["card", "4242424242424242"],
  ["card", "4242 4242 4242 4242"],
  ["name", "Ana Bell"],
  ["long", `a${"b".repeat(64)}`],
  ["count", Number.NaN],
  ["sam@example.com", "gold"],
  ["4242424242424242", true],
  ["", 1],
])("%s: %s is left out", (name, value) => {
  expect(eventData({ [name]: value, plan: "gold" })).toEqual({ plan: "gold" });
});

it("the number of entries is limited", () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, number) => [`a${number}`, number]));
  expect(Object.keys(eventData(many))).toHaveLength(EVENT_DATA_ENTRIES_MAX);
});
