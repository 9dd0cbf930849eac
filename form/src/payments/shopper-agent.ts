// Facts about the shopper's browser that take time to learn: the client's address and the fraud prevention's token. This
// script is loaded once the page can be used; a charge carries what is known when it is sent.

import type { FormPage } from "../../generated/wire.ts";
import { loadFraudScript } from "./fraud-token.ts";
import { lookUpAddress } from "./ip-address.ts";

/** The facts that are known so far. */
export interface ShopperAgentFacts {
  /** The client's address; empty while it is not known. */
  ipAddress: string;
  /** The fraud prevention's token, for which a charge waits a while; empty if there is none. */
  fraudToken: () => string | Promise<string>;
}

/** The script is loaded once for each page. A card page has one form after another. */
let fraudToken: ShopperAgentFacts["fraudToken"] | undefined;

/** Learns the facts of `page` and puts them into `facts`. Never throws. */
export function learnFacts(page: FormPage, facts: ShopperAgentFacts): void {
  void lookUpAddress(page.ip_lookup_url).then((address) => {
    facts.ipAddress = address;
  });
  if (page.fraud_script !== null) {
    fraudToken ??= loadFraudScript(page.fraud_script);
    facts.fraudToken = fraudToken;
  }
}
