// The brands of cards: what a number's first four digits tell, and which brands to show
// (docs/rules.md#brand-detection).

import { BRANDS, type Brand, type BrandName, LIMITS } from "../../generated/rules.ts";
import { isDigits, withoutSpaces } from "./characters.ts";

export type { Brand, BrandName };

/** The brand that the first four digits tell; null under four, and for prefixes that tell none. */
export function detectBrand(text: string): Brand | null {
  const prefix = prefixOf(text);
  if (prefix === null) return null;
  const claims = (brand: Brand) => brand.prefixes.some(([low, high]) => prefix >= low && prefix <= high);
  return BRANDS.find(claims) ?? null;
}

/**
 * How many digits a number that begins as `text` does usually has: where the focus moves on
 * (docs/field-states.md#when-the-focus-moves-on).
 */
export function usualLengthOf(text: string): number {
  const brand = detectBrand(text);
  const prefix = prefixOf(text) ?? 0;
  const other = brand?.otherUsualLengths?.find(([low, high]) => prefix >= low && prefix <= high);
  return other?.[2] ?? brand?.usualLength ?? LIMITS.defaultCardNumberLength;
}

/** The first four digits as a number; null under four, and where something else than a digit stands among them. */
function prefixOf(text: string): number | null {
  const first = withoutSpaces(text).slice(0, LIMITS.brandPrefixLength);
  return first.length === LIMITS.brandPrefixLength && isDigits(first) ? Number(first) : null;
}

/** The brand of this name; null for a name that is not a brand's. */
export function brandNamed(name: string): Brand | null {
  return BRANDS.find((brand) => brand.name === name) ?? null;
}

/** The brand that the number tells, or the available ones while it has too few digits to tell. */
export function brandsToShow(text: string, available: readonly BrandName[]): Brand[] {
  const detected = detectBrand(text);
  if (detected) return [detected];
  const tooShort = withoutSpaces(text).length < LIMITS.brandPrefixLength;
  return tooShort ? BRANDS.filter((brand) => available.includes(brand.name)) : [];
}

/** How many digits a number of this brand may have, ascending; null is an unknown brand. */
export function lengthsOf(brand: Brand | null): readonly number[] {
  return brand?.lengths ?? [LIMITS.defaultCardNumberLength];
}

/** The mask of numbers of this brand (docs/rules.md#masks); null is an unknown brand. */
export function maskOf(brand: Brand | null): string {
  const longest = lengthsOf(brand).at(-1) ?? LIMITS.defaultCardNumberLength;
  const groups = "#### ".repeat(longest / LIMITS.cardNumberGroupLength);
  return (groups + "#".repeat(longest % LIMITS.cardNumberGroupLength)).trimEnd();
}
