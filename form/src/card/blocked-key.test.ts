// Which keys each field refuses, and with which error (docs/rules.md#keys).

import { expect, it } from "vitest";
import type { FieldName } from "./field.ts";
import { blockedKey } from "./mask.ts";

it.each<[FieldName, string, string | null]>([
  ["cardNumber", "4", null],
  ["cardNumber", "٤", null],
  ["cardNumber", "４", null],
  ["cardNumber", " ", null],
  ["cardNumber", "a", "CardNumber_ContainsNonNumber"],
  ["cardNumber", "v", "CardNumber_ContainsNonNumber"],
  ["cardNumber", "-", "CardNumber_ContainsNonNumber"],
  ["cardNumber", "😀", "CardNumber_ContainsNonNumber"],
  ["expiry", "1", null],
  ["expiry", "/", null],
  ["expiry", "／", null],
  ["expiry", " ", null],
  ["expiry", "a", "CardExpiry_ContainsNonNumber"],
  ["expiry", "-", "CardExpiry_ContainsNonNumber"],
  ["security", "1", null],
  ["security", "a", "CardSecurityCode_ContainsNonNumber"],
  ["security", " ", "CardSecurityCode_ContainsNonNumber"],
  ["cardHolderName", "ñ", null],
  ["cardHolderName", "'", null],
  ["cardHolderName", "’", null],
  ["cardHolderName", " ", null],
  ["cardHolderName", "1", "CardHolderName_NonSymbolAndNumber"],
  ["cardHolderName", "٤", "CardHolderName_NonSymbolAndNumber"],
  ["cardHolderName", "@", "CardHolderName_NonSymbolAndNumber"],
  ["cardPostalCode", "9", null],
  ["cardPostalCode", "k", null],
  ["cardPostalCode", " ", null],
  ["cardPostalCode", "-", null],
  ["cardPostalCode", "９", null],
  ["cardPostalCode", "٩", null],
  ["cardPostalCode", "é", "CardPostalCode_Invalid"],
  ["cardPostalCode", "!", "CardPostalCode_Invalid"],
  ["cardHolderEmail", " ", null],
  ["cardHolderEmail", "ü", null],
  // Not a single character: a paste, a word from a keyboard's suggestions, nothing.
  ["cardNumber", "abc", null],
  ["cardNumber", "", null],
])("%s %j: %s", (name, typed, errorId) => {
  expect(blockedKey(name, typed)).toBe(errorId);
});
