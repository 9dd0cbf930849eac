// Written by `cargo xtask generate` from the Rust crates. Do not edit.

/** Why a field's value is refused (specification, point 8). */
export const ERROR_IDS = [
  "CardExpiry_Empty",
  "CardExpiry_WrongMmDdFormat",
  "CardExpiry_MonthOutOfRange",
  "CardExpiry_Expired",
  "CardExpiry_ExpirationDateExceedsMaxValue",
  "CardExpiry_ContainsNonNumber",
  "CardNumber_Invalid",
  "CardNumber_Empty",
  "CardNumber_Invalid_Length",
  "CardNumber_ContainsNonNumber",
  "CardSecurityCode_IncompleteSecurityCode",
  "CardSecurityCode_ContainsNonNumber",
  "CardSecurityCode_EmptySecurityCode",
  "CardHolderName_NonSymbolAndNumber",
  "CardHolderName_Invalid",
  "CardHolderName_Cant_Empty",
  "CardHolderEmail_Invalid",
  "CardHolderEmail_Cant_Empty",
] as const;

export type ErrorId = (typeof ERROR_IDS)[number];
