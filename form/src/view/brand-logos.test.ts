import { expect, test } from "vitest";

import { BRAND_IMAGES, BRAND_NAMES } from "../../generated/rules.ts";
import { IMAGES } from "./brand-logos.tsx";

test("every brand that has an image of its own shows it, and no other", () => {
  const own = BRAND_NAMES.filter((name) => BRAND_IMAGES[name] !== "default.svg");
  expect(Object.keys(IMAGES).sort()).toEqual([...own].sort());
  expect(new Set(Object.values(IMAGES)).size).toBe(own.length);
});
