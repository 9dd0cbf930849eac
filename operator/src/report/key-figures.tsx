// The most important figures: what happened in the range, and the state of the service now.

import type { ReactNode } from "react";
import type { Report } from "../../../form/generated/wire.ts";
import { formatChange, formatCount, formatShare } from "../number-format.ts";
import { formatDuration } from "../times.ts";

/** The operator should check a webhook that waits longer. */
const WAIT_MS_MAX = 5 * 60_000;

export function KeyFigures({ report }: { readonly report: Report }) {
  const { visits, charges, before, now } = report;
  const { total } = charges;
  const tried = total.succeeded + total.declined;
  const since = now.webhooks_waiting_since;
  const waited = since === null ? 0 : Math.max(0, report.to - since);
  return (
    <section aria-labelledby="headline">
      <h2 id="headline" className="visually-hidden">
        Headline
      </h2>
      <dl className="tiles">
        <Tile
          name="Visits"
          value={formatCount(visits.funnel.viewed)}
          before={compared(visits.funnel.viewed, before.funnel.viewed)}
        >
          {formatCount(visits.funnel.started)} started
        </Tile>
        <Tile
          name="Conversion"
          value={formatShare(visits.funnel.paid, visits.funnel.viewed)}
          before={formatShare(before.funnel.paid, before.funnel.viewed)}
        >
          {formatCount(visits.funnel.paid)} of {formatCount(visits.funnel.viewed)} visits paid
        </Tile>
        <Tile
          name="Charges paid"
          value={formatCount(total.succeeded)}
          before={compared(total.succeeded, before.total.succeeded)}
        >
          {formatShare(total.succeeded, tried)} of those tried
        </Tile>
        <Tile
          name="Charges declined"
          value={formatCount(total.declined)}
          before={compared(total.declined, before.total.declined)}
        >
          {formatShare(total.declined, tried)} of those tried
        </Tile>
        <Tile
          name="Webhooks waiting"
          value={formatCount(now.webhooks_waiting)}
          isBad={waited > WAIT_MS_MAX}
          isNow
        >
          {since === null ? "Merchants have accepted all" : `The oldest for ${formatDuration(waited)}`}
        </Tile>
        <Tile name="Outcomes open" value={formatCount(now.attempts_open)} isNow>
          Attempts under way or unknown
        </Tile>
        <Tile
          name="Events dropped"
          value={formatCount(now.events_dropped)}
          isBad={now.events_dropped > 0}
          isNow
        >
          By this node since it started
        </Tile>
      </dl>
    </section>
  );
}

/** "340 (+12 %)". */
function compared(now: number, before: number): string {
  return `${formatCount(before)} (${formatChange(now, before)})`;
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  /** The same figure for the period before. */
  readonly before?: string;
  /** True for a value of this moment, which does not depend on the range. */
  readonly isNow?: boolean;
  /** True when the operator should check it. */
  readonly isBad?: boolean;
  readonly children: ReactNode;
}

function Tile({ name, value, before, isNow = false, isBad = false, children }: TileProps) {
  return (
    <div className="panel tile" data-bad={isBad} data-figure={name}>
      <dt>{name}</dt>
      <dd className="figure">
        {value}
        {isBad && <span className="bad-sign"> Look at this</span>}
      </dd>
      <dd className="soft small">
        {isNow && <span className="now">Now</span>} {children}
      </dd>
      {before !== undefined && <dd className="soft small before">Before: {before}</dd>}
    </div>
  );
}
