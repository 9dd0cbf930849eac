// How the brands write their own names, which are the same in every language.

import type { BrandName } from "../card/brand.ts";

export const BRAND_LABELS: Readonly<Record<BrandName, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  "american-express": "American Express",
  "diners-club": "Diners Club",
  discover: "Discover",
  jcb: "JCB",
  unionpay: "UnionPay",
  maestro: "Maestro",
  mir: "Mir",
  elo: "Elo",
  hiper: "Hiper",
  hipercard: "Hipercard",
  mada: "mada",
  cb: "CB",
};
