// docs/doctor.md has a row for each finding of `/sdk/doctor.js`, with its severity, reason and remedy.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { EXPLANATIONS } from "../src/doctor/findings.ts";

const DOCS = readFileSync(new URL("../../../docs/doctor.md", import.meta.url), "utf8");

/** The rows of the table below this heading, without backticks. */
function rows(heading: string): string[][] {
  const section = DOCS.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) =>
    line
      .replaceAll("`", "")
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test("the table says what the overlay says", () => {
  const shown = Object.entries(EXPLANATIONS).map(([code, { severity, why, fix }]) => [
    code,
    severity,
    why,
    fix,
  ]);
  expect(rows("In your page")).toEqual(shown);
});

test("a finding that the command has, too, means the same", () => {
  const shared = rows("Findings").filter(([code = ""]) => code in EXPLANATIONS);
  expect(shared.length).toBeGreaterThan(3);
  for (const [code = "", severity, why] of shared.filter(([code]) => code !== "service_unreachable")) {
    const shown = EXPLANATIONS[code as keyof typeof EXPLANATIONS];
    expect([code, severity, why]).toEqual([code, shown.severity, shown.why]);
  }
});
