// docs/messages.md and docs/form.md list exactly the messages, options and element ids that there are.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

import { FIELD_IDS } from "../generated/rules.ts";
import { ELEMENT_IDS, errorLineId, networkId, savedCardId } from "./card/element-ids.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const WIRE = read("form/generated/wire.ts").replace(/\/\*.*?\*\//gs, "");

/** The declaration of a type in the generated mirror, without its comments. */
function declared(type: string): string {
  const start = WIRE.indexOf(`export type ${type} = `);
  expect(start, type).toBeGreaterThan(-1);
  return WIRE.slice(start, WIRE.indexOf(";", start));
}

/** The words in the first column of the table below a heading. */
function documented(document: string, heading: string): string[] {
  const section = read(document).split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = section.split(/\n\| -+ .*\n/)[1] ?? "";
  const cells = rows
    .split("\n")
    .flatMap((line) => (line.startsWith("| `") ? [line.split("|")[1] ?? ""] : []));
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word)).sort();
}

const typesOf = (type: string) =>
  [...declared(type).matchAll(/"type": "([a-z-]+)"/g)].map(([, name = ""]) => name).sort();

describe("the documents", () => {
  test.each([
    ["From the form", "FromForm"],
    ["From the parent", "FromParent"],
  ])("name each message %s", (heading, type) => {
    expect(documented("docs/messages.md", heading)).toEqual(typesOf(type));
  });

  test("name each field action", () => {
    const actions = [...declared("FieldAction").matchAll(/"(\w+)"/g)].map(([, name]) => name);
    const section = read("docs/messages.md").split("\n## Field actions\n")[1] ?? "";
    expect([...section.matchAll(/`(cardForm\w+)`/g)].map(([, name]) => name)).toEqual(actions);
  });

  test("name each option", () => {
    const options = [...declared("FormOptions").matchAll(/^(\w+)\??: /gm)].map(([, name = ""]) => name);
    expect(options.length).toBeGreaterThan(10);
    expect(documented("docs/form.md", "Options")).toEqual(options.sort());
  });

  test("name each element id", () => {
    const ids = [...Object.values(FIELD_IDS), ...Object.values(ELEMENT_IDS)];
    const saved = savedCardId("{payment_method_id}");
    const networks = ["card-number", saved].map((id) => networkId(id, "{brand}"));
    const patterns = [errorLineId("{input id}"), saved, ...networks];
    expect(documented("docs/form.md", "Element ids")).toEqual([...ids, ...patterns].sort());
    const parts = ["-security-code", "-remove"] as const;
    for (const part of parts) {
      expect(savedCardId("pm_1", part)).toBe(`saved-card-pm_1${part}`);
      expect(read("docs/form.md")).toContain(`with \`${part}\``);
    }
  });
});
