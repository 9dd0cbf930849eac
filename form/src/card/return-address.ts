// The address to which the payment page leads back.

import type { ChargeStatus } from "../../generated/wire.ts";

/** The parameters for the merchant's page. They prove nothing, because any page can write them into an address. */
export interface Told {
  readonly charge_id: string;
  readonly status: ChargeStatus;
  /** The language tag of the payment page: "fr-FR". */
  readonly locale: string;
}

/** The charge's `return_url` with `told` in its query. Another value under one of these names is replaced. */
export function returnAddress(returnUrl: string, told: Told): string {
  const [, path = "", query = "", fragment = ""] = /^([^?#]*)(?:\?([^#]*))?(.*)$/s.exec(returnUrl) ?? [];
  const kept = query.split("&").filter((part) => part !== "" && !((part.split("=")[0] ?? "") in told));
  const added = new URLSearchParams({ ...told });
  return `${path}?${[...kept, added].join("&")}${fragment}`;
}
