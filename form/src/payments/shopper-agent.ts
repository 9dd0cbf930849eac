// What a charge says of the shopper's surroundings and takes time to learn: the client's address, and the token of the
// fraud prevention. Loaded once the page can be used; a charge takes what is known when it is sent.

import type { FormPage } from "../../generated/wire.ts";
import { loadFraudScript } from "./fraud-token.ts";
import { lookUpAddress } from "./ip-address.ts";

/** What is known so far. */
export interface ShopperAgentFacts {
  /** The client's address; empty while it is not known. */
  ipAddress: string;
  /** The token of the fraud prevention, for which a charge waits a while; empty without one. */
  fraudToken: () => string | Promise<string>;
}

/** Learns the facts of `page` and puts them into `facts`. Never throws. */
export function learnFacts(page: FormPage, facts: ShopperAgentFacts): void {
  void lookUpAddress(page.ip_lookup_url).then((address) => {
    facts.ipAddress = address;
  });
  if (page.fraud_script !== null) {
    facts.fraudToken = loadFraudScript(page.fraud_script);
  }
}
