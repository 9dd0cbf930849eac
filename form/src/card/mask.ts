// What an input shall hold while one types into it, and which keys it refuses (docs/rules.md#keys).

import type { ErrorId } from "../../generated/rules.ts";
import { isDigits, latinDigits } from "./characters.ts";
import { editDigits, editNumber } from "./digits-edit.ts";
import type { Edit } from "./edit.ts";
import { editExpiry } from "./expiry-edit.ts";
import type { FieldContext, FieldName } from "./field.ts";
import { longestSecurityCode } from "./security-code.ts";
import { cleanName, editHolderEmail, editHolderName } from "./text-edit.ts";

export type { Edit };

/**
 * Input types at which the browser is not done. During a composition the text belongs to the input method until it
 * commits it; after a drag took text away its drop follows, at a place that the browser knows by the present text.
 */
const UNFINISHED: readonly string[] = ["insertCompositionText", "deleteCompositionText", "deleteByDrag"];

/**
 * What the input shall hold and where the caret goes, after the browser did its edit. `before` is the value and the
 * selection that the edit met, `after` what it made of them; `inputType` is the input event's. Nothing changes while
 * the browser is not done: call it again when a composition ends, and when the field is left. For a value that was there before, such as one typed before
 * hydration, `before` is empty.
 */
export function reformat(
  name: FieldName,
  before: Edit,
  after: Edit,
  inputType: string,
  context: FieldContext,
): Edit {
  if (UNFINISHED.includes(inputType)) return after;
  const edited = edit(name, before, after, inputType, context);
  // What the browser selected, as undo does, stays selected where nothing else changes.
  return edited.text === after.text && after.start !== after.end ? after : edited;
}

function edit(name: FieldName, before: Edit, after: Edit, inputType: string, context: FieldContext): Edit {
  switch (name) {
    case "cardNumber":
      return editNumber(before, after, inputType);
    case "expiry":
      return editExpiry(before, after, inputType);
    case "security":
      return editDigits(before, after, inputType, () => securityCodeMask(context));
    case "cardHolderName":
      return editHolderName(before, after);
    case "cardHolderEmail":
      return editHolderEmail(before, after);
  }
}

/** Without its experiment the security code has no mask. */
function securityCodeMask(context: FieldContext): string | null {
  return context.experiments.securityCodeLength ? "#".repeat(longestSecurityCode(context.brand)) : null;
}

/**
 * Why a typed character is refused; null when it is taken, and for everything but a single character, which is not a
 * key. A space that `reformat` drops is not refused: people type spaces between groups, and spaces are
 * trimmed. The email's space has no error id, so it is dropped likewise.
 */
export function blockedKey(name: FieldName, typed: string, _context: FieldContext): ErrorId | null {
  if (Array.from(typed).length !== 1) return null;
  const character = latinDigits(typed);
  const isSpace = /\p{White_Space}/u.test(character);
  switch (name) {
    case "cardNumber":
      return isDigits(character) || isSpace ? null : "CardNumber_ContainsNonNumber";
    case "expiry":
      return isDigits(character) || isSpace || /[/／]/.test(character)
        ? null
        : "CardExpiry_ContainsNonNumber";
    case "security":
      return isDigits(character) ? null : "CardSecurityCode_ContainsNonNumber";
    case "cardHolderName":
      return cleanName(character) !== "" ? null : "CardHolderName_NonSymbolAndNumber";
    case "cardHolderEmail":
      return null;
  }
}
