import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { IMAGES } from "./brand-logos.tsx";

interface BrandImage {
  readonly brand: string;
  readonly image: string;
}

const { table }: { table: BrandImage[] } = JSON.parse(
  readFileSync(new URL("../../../cases/brand.json", import.meta.url), "utf8"),
);

test("every brand that has an image of its own shows it, and no other", () => {
  const own = table.filter(({ image }) => image !== "default.svg").map(({ brand }) => brand);
  expect(Object.keys(IMAGES).sort()).toEqual(own.sort());
  expect(new Set(Object.values(IMAGES)).size).toBe(own.length);
});
