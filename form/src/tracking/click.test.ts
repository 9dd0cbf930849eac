// How a clicked element is told: by an id of ours.

import { expect, it } from "vitest";

import { nameOf } from "./click.ts";

it.each([
  ["pay", "pay"],
  ["card-number", "card-number"],
  ["save-card", "save-card"],
  ["pay-with-saved-card", "pay-with-saved-card"],
  ["remove-card-confirm", "remove-card-confirm"],
  ["saved-cards-error", "saved-cards-error"],
  ["saved-card-pm_01J9ZK", "saved-card"],
  ["saved-card-pm_01J9ZK-remove", "saved-card-remove"],
  ["saved-card-pm_01J9ZK-security-code", "saved-card-security-code"],
  ["root", null],
  ["card-number-error", null],
  ["", null],
  ["sam@example.com", null],
])("%j is reported as %j", (id, name) => {
  expect(nameOf(id)).toBe(name);
});
