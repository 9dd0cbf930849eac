// The cardholder's email: a local part, an at sign, and a domain with a top-level part (docs/rules.md#email).

import { HOLDER_EMAIL_LOCAL_PUNCTUATION, LIMITS } from "../../generated/rules.ts";
import { isDigits, isLetter, length } from "./characters.ts";
import { empty, incomplete, VALID, type Verdict, wrong } from "./verdict.ts";

/** The verdict on an email. Letters of any script are allowed on both sides of the at sign. */
export function judgeHolderEmail(text: string): Verdict {
  if (text === "") return empty("CardHolderEmail_Cant_Empty");
  const [local = "", domain = "", ...more] = text.split("@");
  const isPossible =
    more.length === 0 &&
    length(text) <= LIMITS.holderEmailLengthMax &&
    Array.from(text).every((character) => character === "@" || character === "." || isLocal(character));
  if (!isPossible) return wrong("CardHolderEmail_Invalid");
  return isLocalPart(local) && isDomain(domain) ? VALID : incomplete("CardHolderEmail_Invalid");
}

function isLocalPart(local: string): boolean {
  return local.split(".").every((part) => part !== "" && Array.from(part).every(isLocal));
}

function isDomain(domain: string): boolean {
  const labels = domain.split(".");
  const top = labels.pop() ?? "";
  return labels.length > 0 && isTopLevel(top) && labels.every(isLabel);
}

/** Letters, or letters in punycode: xn--p1ai. */
function isTopLevel(label: string): boolean {
  return (
    (length(label) >= LIMITS.holderEmailTopLevelLengthMin && Array.from(label).every(isLetter)) ||
    (/^xn--./i.test(label) && isLabel(label))
  );
}

function isLabel(label: string): boolean {
  const isBounded = label !== "" && !label.startsWith("-") && !label.endsWith("-");
  return isBounded && Array.from(label).every((c) => isLetter(c) || isDigits(c) || c === "-");
}

function isLocal(character: string): boolean {
  return isLetter(character) || isDigits(character) || HOLDER_EMAIL_LOCAL_PUNCTUATION.includes(character);
}
