// Written by `cargo xtask generate` from the Rust crates. Do not edit.

/** A field of the card form (docs/rules.md). */
export type FieldName = "cardNumber" | "expiry" | "security" | "cardHolderName" | "cardPostalCode" | "cardHolderEmail";

/** The id of a field (docs/form.md#element-ids). */
export type FieldId = "card-number" | "card-expiry" | "card-security-code" | "card-holder-name" | "card-postal-code" | "card-holder-email";

/** Each field's id: of its input, and in messages and events (docs/form.md#element-ids). */
export const FIELD_IDS = {
  cardNumber: "card-number",
  expiry: "card-expiry",
  security: "card-security-code",
  cardHolderName: "card-holder-name",
  cardPostalCode: "card-postal-code",
  cardHolderEmail: "card-holder-email",
} as const satisfies Record<FieldName, string>;

/** Each field's label, its autofill name for the browser, and its keyboard on a phone. */
export const FIELD_INPUTS = {
  cardNumber: {"autoComplete":"cc-number","inputMode":"numeric","label":"card_number"},
  expiry: {"autoComplete":"cc-exp","inputMode":"numeric","label":"card_expiry"},
  security: {"autoComplete":"cc-csc","inputMode":"numeric","label":"card_security_code"},
  cardHolderName: {"autoComplete":"cc-name","inputMode":"text","label":"card_holder_name"},
  cardPostalCode: {"autoComplete":"postal-code","inputMode":"text","label":"card_postal_code"},
  cardHolderEmail: {"autoComplete":"email","inputMode":"email","label":"card_holder_email"},
} as const satisfies Record<FieldName, object>;

/** Each field's key in `customStyle`. */
export const FIELD_THEME_KEYS = {
  cardNumber: "cardNumber",
  expiry: "cardExpiry",
  security: "cardSecurityCode",
  cardHolderName: "cardHolderName",
  cardPostalCode: "cardPostalCode",
  cardHolderEmail: "cardHolderEmail",
} as const satisfies Record<FieldName, string>;

/** The options of each field that is not always shown: the one that shows it, and the one with its first text. */
export const FIELD_OPTIONS = {
  cardHolderName: ["show_cardholder_name","cardholder_name"],
  cardPostalCode: ["show_postal_code","postal_code"],
  cardHolderEmail: ["show_cardholder_email","cardholder_email"],
} as const satisfies Partial<Record<FieldName, object>>;

/** Why a field's value is refused (docs/rules.md#error-ids). */
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
  "CardPostalCode_Invalid",
  "CardPostalCode_Cant_Empty",
  "CardHolderEmail_Invalid",
  "CardHolderEmail_Cant_Empty",
] as const;

export type ErrorId = (typeof ERROR_IDS)[number];

/** Other spellings under which catalogues of texts may have an error id (docs/rules.md#error-ids). */
export const ERROR_ID_ALIASES: Readonly<Record<string, ErrorId>> = {
  CardHolderName_NonSymbolAndSNumber: "CardHolderName_NonSymbolAndNumber",
};

/** The constants of the fields (docs/rules.md). Lengths count characters. */
export const LIMITS = {
  /** How many digits a number of an unknown brand has. */
  defaultCardNumberLength: 16,
  /** How many of a number's first digits tell its brand. */
  brandPrefixLength: 4,
  /** How many digits of a number stand together. */
  cardNumberGroupLength: 4,
  /** MM/YY: a shorter expiry, spaces apart, is still being typed. */
  expiryLength: 5,
  /** MM / YY. */
  expiryDisplayLengthMax: 7,
  /** How far ahead a card may expire, in years, under its experiment. */
  expiryYearsAheadMax: 20,
  /** The shortest security code, under its experiment. */
  securityCodeLengthMin: 3,
  /** The longest security code, under its experiment. */
  securityCodeLengthMax: 4,
  /** The longest security code without the experiment. */
  securityCodeDigitsMax: 10,
  /** The shortest cardholder name, trimmed. */
  holderNameLengthMin: 2,
  /** The longest cardholder name, trimmed. */
  holderNameLengthMax: 26,
  /** The longest postal code, trimmed. */
  postalCodeLengthMax: 10,
  /** The longest email that is valid. */
  holderEmailLengthMax: 320,
  /** The longest email that the input takes. */
  holderEmailInputLengthMax: 254,
  /** The fewest letters of an email's top-level part. */
  holderEmailTopLevelLengthMin: 2,
} as const;

/** The brands of cards (docs/rules.md#brands). */
export const BRAND_NAMES = [
  "visa",
  "mastercard",
  "american-express",
  "diners-club",
  "discover",
  "jcb",
  "unionpay",
  "maestro",
  "mir",
  "elo",
  "hiper",
  "hipercard",
  "mada",
  "cb",
  "bancontact",
  "dankort",
  "eftpos",
] as const;

export type BrandName = (typeof BRAND_NAMES)[number];

/** What is known of a brand (docs/rules.md#brands). */
export interface Brand {
  readonly name: BrandName;
  /** How many digits its numbers may have, ascending. */
  readonly lengths: readonly number[];
  /** How many digits its numbers usually have, where that is not 16: there the focus moves on. */
  readonly usualLength?: number;
  /** The four-digit prefixes in which another length is usual: first and last of each range, and the length. */
  readonly otherUsualLengths?: readonly (readonly [first: number, last: number, length: number])[];
  /** How many digits its security code has. */
  readonly securityCodeLength: number;
  /** The four-digit prefixes that tell it, as first and last of each range. */
  readonly prefixes: readonly (readonly [first: number, last: number])[];
}

/** Every brand. No prefix is claimed twice. */
export const BRANDS: readonly Brand[] = [
  { name: "visa", lengths: [16,18,19], securityCodeLength: 3, prefixes: [[4000,4999]] },
  { name: "mastercard", lengths: [16], securityCodeLength: 3, prefixes: [[2221,2720],[5100,5599]] },
  { name: "american-express", lengths: [15], usualLength: 15, securityCodeLength: 4, prefixes: [[3400,3499],[3700,3799]] },
  { name: "diners-club", lengths: [14,16,19], otherUsualLengths: [[3600,3699,14]], securityCodeLength: 3, prefixes: [[3000,3059],[3600,3699],[3800,3999]] },
  { name: "discover", lengths: [16,19], securityCodeLength: 3, prefixes: [[6011,6011],[6440,6599]] },
  { name: "jcb", lengths: [16,17,18,19], securityCodeLength: 3, prefixes: [[1800,1800],[2131,2131],[3528,3589]] },
  { name: "unionpay", lengths: [14,15,16,17,18,19], usualLength: 19, securityCodeLength: 3, prefixes: [[6200,6299],[8100,8199]] },
  { name: "maestro", lengths: [12,13,14,15,16,17,18,19], usualLength: 19, securityCodeLength: 3, prefixes: [[5000,5065],[5068,5089],[5600,5899],[6000,6010],[6012,6061],[6063,6199],[6300,6361],[6364,6369],[6380,6439],[6600,6999]] },
  { name: "mir", lengths: [16,17,18,19], securityCodeLength: 3, prefixes: [[2200,2204]] },
  { name: "elo", lengths: [16], securityCodeLength: 3, prefixes: [[5066,5067],[5090,5099],[6362,6363]] },
  { name: "hiper", lengths: [16], securityCodeLength: 3, prefixes: [] },
  { name: "hipercard", lengths: [16], securityCodeLength: 3, prefixes: [] },
  { name: "mada", lengths: [16], securityCodeLength: 3, prefixes: [] },
  { name: "cb", lengths: [16], securityCodeLength: 3, prefixes: [] },
  { name: "bancontact", lengths: [16], securityCodeLength: 3, prefixes: [] },
  { name: "dankort", lengths: [16], securityCodeLength: 3, prefixes: [] },
  { name: "eftpos", lengths: [16], securityCodeLength: 3, prefixes: [] },
];

/** Each brand's name as shoppers read it, the same in every language. */
export const BRAND_LABELS: Readonly<Record<BrandName, string>> = {
  "visa": "Visa",
  "mastercard": "Mastercard",
  "american-express": "American Express",
  "diners-club": "Diners Club",
  "discover": "Discover",
  "jcb": "JCB",
  "unionpay": "UnionPay",
  "maestro": "Maestro",
  "mir": "Mir",
  "elo": "Elo",
  "hiper": "Hiper",
  "hipercard": "Hipercard",
  "mada": "mada",
  "cb": "CB",
  "bancontact": "Bancontact",
  "dankort": "Dankort",
  "eftpos": "eftpos",
};

/** The brands shown before a number tells its own, unless others are configured. */
export const DEFAULT_AVAILABLE_BRANDS: readonly BrandName[] = [
  "visa",
  "mastercard",
];

/** The letters of names: first and last code point of each range, in turn, each as its distance from the one before, in base 36. */
export const LETTERS = "1t p 7 p 1c 0 g 0 6 m 2 u 2 c7 a 6 1t 33 1 3 3 1 4 2 9 0 2 31 2 8 1 3l 2 4 3 4l 2 11 a 14 9 18 2 0 2 1 2 1 b y u a 6 1r f 2t 2 7 3 9 2 5 b 2 2c 1b ap 2r e 36 u 2q d 5 c 2q u 2q v 2d 15 2r t 3 2 2m t 26 6 3 8 4 n 2t y 1l 6 e 1f 25 e 3 81 1r h 1r h 2i 2 3 1 73 1 9r td 2b 4 0 5 1 xf 1b 8x 73 3d2 1 1n 2d 3 1 3 2 2 2h 2 3 6 16 2 2l he 533 1t g73 2dd 8mb 6l9 e7 te p 7 p c 1l 1en5 2t4v";

/** The code points of the zeros of each script's digits; nine more follow each. */
export const DIGIT_ZEROS = [48,1632,1776,2406,2534,3664,3792,4160,6112,65296];

/** What a name may hold besides letters. */
export const HOLDER_NAME_PUNCTUATION = "',. -";

/** What may stand before an email's at sign besides letters, digits and single dots. */
export const HOLDER_EMAIL_LOCAL_PUNCTUATION = "!#$%&'*+/=?^_`{|}~-";

/** The patterns of postal codes by country, with a digit for `#` and a letter for `@` (docs/rules.md#postal-code). */
export const POSTAL_CODES: Readonly<Record<string, readonly string[]>> = {
  US: ["#####","#####-####"],
  CA: ["@#@ #@#"],
  GB: ["@# #@@","@## #@@","@#@ #@@","@@# #@@","@@## #@@","@@#@ #@@"],
};

/** The locale that is used where nothing names another (docs/languages.md#the-locales). */
export const DEFAULT_LOCALE = "en-US";
