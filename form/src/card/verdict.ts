// A rule's verdict on a field's text, as `rules::Verdict` in Rust.

import type { ErrorId } from "../../generated/rules.ts";

/** An "incomplete" text can become valid by typing more. Only a "wrong" one is shown as an error while the shopper types. */
export type Verdict =
  | { readonly kind: "valid" }
  | { readonly kind: "empty" | "incomplete" | "wrong"; readonly errorId: ErrorId };

export const VALID: Verdict = { kind: "valid" };
export const empty = (errorId: ErrorId): Verdict => ({ kind: "empty", errorId });
export const incomplete = (errorId: ErrorId): Verdict => ({ kind: "incomplete", errorId });
export const wrong = (errorId: ErrorId): Verdict => ({ kind: "wrong", errorId });
