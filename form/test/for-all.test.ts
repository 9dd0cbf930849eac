import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, it } from "vitest";
import { forAllWith } from "./for-all.ts";

function emptyFile(): URL {
  const file = join(mkdtempSync(join(tmpdir(), "seeds-")), "failed-seeds.json");
  writeFileSync(file, "[]");
  return pathToFileURL(file);
}

it("keeps a seed that failed and tries it first at the next run", () => {
  const file = emptyFile();
  const failing: number[] = [];
  const small = fc.property(fc.nat(), (n) => {
    failing.push(n);
    expect(n).toBeLessThan(1_000);
  });
  expect(() => forAllWith(file, small)).toThrow("its seed is kept");
  const kept = JSON.parse(readFileSync(file, "utf8"));
  expect(kept).toEqual([{ test: expect.getState().currentTestName, seed: expect.any(Number) }]);
  const first = failing[0];
  failing.length = 0;
  expect(() => forAllWith(file, small)).toThrow("Property failed");
  expect(failing[0]).toBe(first);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(kept);
});

it("keeps no seed of a property that holds", () => {
  const file = emptyFile();
  forAllWith(
    file,
    fc.property(fc.nat(), (n) => n >= 0),
  );
  expect(readFileSync(file, "utf8")).toBe("[]");
});
