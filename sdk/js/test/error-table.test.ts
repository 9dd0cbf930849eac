// The table of errors in the SDK's README has exactly the codes of the types, and says for each what to do.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

interface TypedCode {
  readonly code: string;
  /** The comment above the code. */
  readonly comment: string;
}

/** The members of a union of texts, each with its comment. */
function typedCodes(type: string): TypedCode[] {
  const [, union = ""] =
    read("sdk/js/src/result.ts").match(new RegExp(`export type ${type} =\\n(.*?");\\n`, "s")) ?? [];
  const members = [...union.matchAll(/(?:\/\*\*(.*?)\*\/\s*)?\| "([^"]+)"/gs)];
  return members.map(([, comment = "", code = ""]) => ({ code, comment: comment.trim() }));
}

const CODES = ["LoadFailureCode", "SubmitErrorCode", "RefusalCode"].flatMap(typedCodes);

/** The members of a union in the generated mirror of the wire. */
function wireCodes(type: string): string[] {
  const [, union = ""] =
    read("form/generated/wire.ts").match(new RegExp(`export type ${type} = ([^;]*);`)) ?? [];
  return [...union.matchAll(/"([^"]+)"/g)].map(([, code = ""]) => code);
}

/** The rows of the table: the codes of the first cell, and the second cell. */
function rows(): { readonly codes: string[]; readonly advice: string }[] {
  const [, section = ""] = read("sdk/js/README.md").split("\n## Errors\n");
  const lines = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) => {
    const [, first = "", advice = ""] = line.split("|");
    const codes = [...first.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
    return { codes, advice: advice.trim() };
  });
}

test("the union is the one that the SDK exports", () => {
  expect(read("sdk/js/src/result.ts")).toContain(
    "export type CardformErrorCode = LoadFailureCode | SubmitErrorCode | RefusalCode;",
  );
  expect(CODES.length).toBeGreaterThan(15);
});

test("the table has a row for each code, and no other", () => {
  const documented = rows().flatMap(({ codes }) => codes);
  expect(documented.sort()).toEqual(CODES.map(({ code }) => code).sort());
});

test("every error that the frame sends is in the union", () => {
  const sent = [...wireCodes("FormErrorCode"), ...wireCodes("LoadErrorCode")];
  expect(sent.length).toBeGreaterThan(10);
  const typed = new Set(CODES.map(({ code }) => code));
  expect(sent.filter((code) => !typed.has(code))).toEqual([]);
});

test("the reference of messages lists the codes of load-error", () => {
  const [row = ""] = read("docs/messages.md").match(/^\| `load-error`.*$/m) ?? [];
  const documented = [...(row.split(":")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, code]) => code);
  expect(documented.sort()).toEqual(wireCodes("LoadErrorCode").sort());
});

/** What somebody can do about an error. */
const ADVICE =
  /\b(add|adds|allow|ask|call|check|create|look|pass|tell|try again|trying again does not help|offers a new)\b/i;

test.each(CODES)("$code says what to do, in the types and in the table", ({ code, comment }) => {
  expect(comment).toMatch(ADVICE);
  expect(rows().find(({ codes }) => codes.includes(code))?.advice).toMatch(ADVICE);
});
