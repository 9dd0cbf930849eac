// Facts that the page looks up in the background, for charges and for tracking.

import type { FromForm } from "../generated/wire.ts";
import type { ShopperAgentFacts } from "./payments/shopper-agent.ts";

export interface LookUps {
  /** Facts about the shopper's browser that a charge carries; complete when `learnt` resolves. */
  readonly facts: ShopperAgentFacts;
  readonly learnt: Promise<void>;
  /** The session of the last collection of device data; null while there is no collection. */
  readonly deviceSession: () => Promise<string | null> | null;
  readonly post: (message: FromForm) => void;
}
