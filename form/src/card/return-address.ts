// The address to which the payment page leads back.

import type { ChargeStatus } from "../../generated/wire.ts";

/** What the merchant's page is told about a charge. Anybody can write it into an address, so it proves nothing. */
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
