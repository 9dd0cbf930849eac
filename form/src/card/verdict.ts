// What a rule says of a field's text; the mirror of `rules::Verdict`.

import type { ErrorId } from "../../generated/rules.ts";

/**
 * "Not yet" (incomplete) and "wrong" differ, because an error is shown while one types only when typing on cannot
 * mend it (docs/field-states.md#the-states).
 */
export type Verdict =
  | { readonly kind: "valid" }
  | { readonly kind: "empty" | "incomplete" | "wrong"; readonly errorId: ErrorId };

export const VALID: Verdict = { kind: "valid" };
export const empty = (errorId: ErrorId): Verdict => ({ kind: "empty", errorId });
export const incomplete = (errorId: ErrorId): Verdict => ({ kind: "incomplete", errorId });
export const wrong = (errorId: ErrorId): Verdict => ({ kind: "wrong", errorId });
