// The status of a charge as a badge: a word and a color.

import type { ChargeStatus, ChargeView, OperationStatus } from "../../../form/generated/wire.ts";
import { minorUnits } from "./amounts.ts";

type StatusTone = "good" | "bad" | "wait" | "unknown" | "quiet";

const STATUSES: Readonly<Record<ChargeStatus, { readonly name: string; readonly tone: StatusTone }>> = {
  created: { name: "Not paid yet", tone: "quiet" },
  processing: { name: "Under way", tone: "wait" },
  waiting_for_shopper_action: { name: "At the bank", tone: "wait" },
  authorized: { name: "Held", tone: "wait" },
  succeeded: { name: "Paid", tone: "good" },
  failed: { name: "Declined", tone: "bad" },
  outcome_unknown: { name: "Unknown", tone: "unknown" },
  canceled: { name: "Canceled", tone: "quiet" },
  expired: { name: "Expired", tone: "quiet" },
};

/** All statuses, for the filter. */
export const STATUS_NAMES = Object.entries(STATUSES).map(([status, { name }]) => ({ status, name }));

export const OPERATION_STATUSES: Readonly<
  Record<OperationStatus, { readonly name: string; readonly tone: StatusTone }>
> = {
  processing: { name: "Under way", tone: "wait" },
  pending: { name: "Pending", tone: "wait" },
  succeeded: { name: "Succeeded", tone: "good" },
  failed: { name: "Failed", tone: "bad" },
  outcome_unknown: { name: "Unknown", tone: "unknown" },
};

/** A paid charge whose money went back, in whole or in part, says so. */
function statusOf({ status, amount_captured, amount_refunded }: ChargeView): {
  name: string;
  tone: StatusTone;
} {
  const refunded = minorUnits(amount_refunded) ?? 0n;
  if (status === "succeeded" && refunded > 0n) {
    const isAll = refunded >= (minorUnits(amount_captured) ?? 0n);
    return { name: isAll ? "Refunded" : "Partly refunded", tone: "quiet" };
  }
  return STATUSES[status];
}

export function Badge({ name, tone }: { readonly name: string; readonly tone: StatusTone }) {
  return (
    <span className="badge" data-tone={tone}>
      {name}
    </span>
  );
}

export const ChargeBadge = ({ charge }: { readonly charge: ChargeView }) => <Badge {...statusOf(charge)} />;
