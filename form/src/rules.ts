// The rules of the fields for a caller in another language: the embedded engine, in which a test of the server gives
// them the same texts as the Rust rules and compares the verdicts.

import { brandNamed, detectBrand } from "./card/brand.ts";
import { type FieldName, judge } from "./card/field.ts";

/** What a rule needs to know besides the text, as the Rust side writes it. */
interface Context {
  readonly luhn: boolean;
  readonly securityCodeLength: boolean;
  readonly expiryLimit: boolean;
  readonly year: number;
  readonly month: number;
  /** The brand's name; null while it is unknown. */
  readonly brand: string | null;
}

/** UTF-16 in one piece: a call takes no more arguments than this. */
const UNITS_PER_CALL_MAX = 4096;

/**
 * The verdict on a text, as `kind`, or `kind:errorId` where there is an error. The text comes in UTF-16 units, so that
 * it may hold what no other encoding can: half a pair of surrogates.
 */
export function verdict(name: FieldName, units: Uint16Array, context: Context): string {
  const { year, month, brand, ...experiments } = context;
  const found = judge(name, textOf(units), {
    experiments,
    today: { year, month },
    brand: brand === null ? null : brandNamed(brand),
  });
  return found.kind === "valid" ? found.kind : `${found.kind}:${found.errorId}`;
}

/** The name of the brand that a card number tells, or null. */
export function brandOf(units: Uint16Array): string | null {
  return detectBrand(textOf(units))?.name ?? null;
}

function textOf(units: Uint16Array): string {
  let text = "";
  for (let at = 0; at < units.length; at += UNITS_PER_CALL_MAX) {
    text += String.fromCharCode(...units.subarray(at, at + UNITS_PER_CALL_MAX));
  }
  return text;
}
