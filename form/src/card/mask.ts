// Formats an input while the shopper types, and says which keys it refuses (docs/rules.md#keys).

import { type ErrorId, LIMITS } from "../../generated/rules.ts";
import { detectBrand, maskOf } from "./brand.ts";
import { isDigits, latinDigits } from "./characters.ts";
import { editDigits } from "./digits-edit.ts";
import type { Edit } from "./edit.ts";
import { editExpiry } from "./expiry-edit.ts";
import type { FieldContext, FieldName } from "./field.ts";
import { isNameCharacter } from "./holder-name.ts";
import { isPostalText } from "./postal-code.ts";
import { longestSecurityCode } from "./security-code.ts";
import { cleanEmail, cleanName, cleanPostalCode, editText } from "./text-edit.ts";

export type { Edit };

/**
 * Input types after which the browser's edit is not finished. During a composition the input method owns the text. After
 * a drag has removed text the drop follows, and its place refers to the unchanged text.
 */
const UNFINISHED: readonly string[] = ["insertCompositionText", "deleteCompositionText", "deleteByDrag"];

/**
 * The new text and caret of an input after the browser's edit. `before` is the value and selection before the edit,
 * `after` those after it, and `inputType` is from the input event. An unfinished edit is returned unchanged: call this
 * again when the composition ends and when the field is left. For a value that was typed before hydration `before` is
 * empty.
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
  // Undo may select text; the selection stays if nothing else changes.
  return edited.text === after.text && after.start !== after.end ? after : edited;
}

function edit(name: FieldName, before: Edit, after: Edit, inputType: string, context: FieldContext): Edit {
  switch (name) {
    case "cardNumber":
      return editDigits(before, after, inputType, (digits) => maskOf(detectBrand(digits)));
    case "expiry":
      return editExpiry(before, after, inputType);
    case "security":
      return editDigits(before, after, inputType, () => securityCodeMask(context));
    case "cardHolderName":
      return editText(before, after, cleanName, LIMITS.holderNameLengthMax);
    case "cardPostalCode":
      return editText(before, after, cleanPostalCode, LIMITS.postalCodeLengthMax);
    case "cardHolderEmail":
      return editText(before, after, cleanEmail, LIMITS.holderEmailInputLengthMax);
  }
}

/** The security code has a mask only if its experiment is on. */
function securityCodeMask(context: FieldContext): string | null {
  return context.experiments.securityCodeLength ? "#".repeat(longestSecurityCode(context.brand)) : null;
}

/**
 * Why a typed character is refused; null if it is accepted. Only a single character can be a key, so longer texts are
 * accepted here. A space is not refused, because people type spaces between groups: `reformat` drops it. A space in the
 * email is dropped, too, because there is no error id for it.
 */
export function blockedKey(name: FieldName, typed: string): ErrorId | null {
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
      return isNameCharacter(cleanName(character)) ? null : "CardHolderName_NonSymbolAndNumber";
    case "cardPostalCode":
      return isPostalText(cleanPostalCode(character)) ? null : "CardPostalCode_Invalid";
    case "cardHolderEmail":
      return null;
  }
}
