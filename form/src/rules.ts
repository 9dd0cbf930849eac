// The rules of the fields for the embedded engine. A test of the server gives them and the Rust rules the same texts and
// compares the verdicts.

import { brandNamed, detectBrand } from "./card/brand.ts";
import type { Month } from "./card/expiry.ts";
import { type FieldExperiments, type FieldName, judge } from "./card/field.ts";

/** The rest of a rule's input, in the shape that Rust writes. The brand is null while it is unknown. */
type Context = FieldExperiments & Month & { readonly brand: string | null; readonly country: string };

/**
 * The verdict on a text: `kind`, or `kind:errorId` if there is an error. The text comes as UTF-16 units because a test
 * text may have half of a surrogate pair, which no other encoding can hold.
 */
export function verdict(name: FieldName, units: Uint16Array, context: Context): string {
  const { year, month, brand, country, ...experiments } = context;
  const found = judge(name, textOf(units), {
    experiments,
    today: { year, month },
    brand: brand === null ? null : brandNamed(brand),
    country,
  });
  return found.kind === "valid" ? found.kind : `${found.kind}:${found.errorId}`;
}

/** The name of the card number's brand, or null. */
export function brandOf(units: Uint16Array): string | null {
  return detectBrand(textOf(units))?.name ?? null;
}

function textOf(units: Uint16Array): string {
  return Array.from(units, (unit) => String.fromCharCode(unit)).join("");
}
