// The brands of cards: which brand a number's first four digits belong to, and which brands to show
// (docs/rules.md#brand-detection).

import { BRANDS, type Brand, type BrandName, LIMITS } from "../../generated/rules.ts";
import { isDigits, withoutSpaces } from "./characters.ts";

export type { Brand, BrandName };

/** The last answer. After each key many parts of the form ask for the brand of the same number. */
let detected: { readonly text: string; readonly brand: Brand | null } = { text: "", brand: null };

/** The brand of the first four digits. Null if there are fewer than four, or if they belong to no brand. */
export function detectBrand(text: string): Brand | null {
  if (text !== detected.text) {
    const prefix = prefixOf(text);
    const claims = ({ prefixes }: Brand) =>
      prefix !== null && prefixes.some(([low, high]) => prefix >= low && prefix <= high);
    detected = { text, brand: BRANDS.find(claims) ?? null };
  }
  return detected.brand;
}

/** The usual number of digits. At this length the focus moves on (docs/field-states.md#when-the-focus-moves-on). */
export function usualLengthOf(text: string): number {
  const brand = detectBrand(text);
  const prefix = prefixOf(text) ?? 0;
  const other = brand?.otherUsualLengths?.find(([low, high]) => prefix >= low && prefix <= high);
  return other?.[2] ?? brand?.usualLength ?? LIMITS.defaultCardNumberLength;
}

/** The first four digits as a number. Null if there are fewer, or if one of the characters is not a digit. */
function prefixOf(text: string): number | null {
  const first = withoutSpaces(text).slice(0, LIMITS.brandPrefixLength);
  return first.length === LIMITS.brandPrefixLength && isDigits(first) ? Number(first) : null;
}

export function brandNamed(name: string): Brand | null {
  return BRANDS.find((brand) => brand.name === name) ?? null;
}

/** The brand of the number. While it has fewer than four digits, the available brands. */
export function brandsToShow(text: string, available: readonly BrandName[]): Brand[] {
  const detected = detectBrand(text);
  if (detected) return [detected];
  const tooShort = withoutSpaces(text).length < LIMITS.brandPrefixLength;
  return tooShort ? BRANDS.filter((brand) => available.includes(brand.name)) : [];
}

/** How many digits a number of this brand may have, ascending. `brand` is null while it is unknown. */
export function lengthsOf(brand: Brand | null): readonly number[] {
  return brand?.lengths ?? [LIMITS.defaultCardNumberLength];
}

/** The mask for numbers of this brand (docs/rules.md#masks). `brand` is null while it is unknown. */
export function maskOf(brand: Brand | null): string {
  const longest = lengthsOf(brand).at(-1) ?? LIMITS.defaultCardNumberLength;
  const groups = "#### ".repeat(longest / LIMITS.cardNumberGroupLength);
  return (groups + "#".repeat(longest % LIMITS.cardNumberGroupLength)).trimEnd();
}
