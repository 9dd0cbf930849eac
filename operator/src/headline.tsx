// The figures that are read first: what happened in the range, and the present state.

import type { ReactNode } from "react";
import type { Report } from "../../form/generated/wire.ts";
import { span } from "./times.ts";
import { change, count, share } from "./words.ts";

/** A webhook that waits longer is one that somebody should look at, in milliseconds. */
const WAIT_MS_MAX = 5 * 60_000;

export function Headline({ report }: { readonly report: Report }) {
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
          value={count(visits.funnel.viewed)}
          before={compared(visits.funnel.viewed, before.funnel.viewed)}
        >
          {count(visits.funnel.started)} started
        </Tile>
        <Tile
          name="Conversion"
          value={share(visits.funnel.paid, visits.funnel.viewed)}
          before={share(before.funnel.paid, before.funnel.viewed)}
        >
          {count(visits.funnel.paid)} of {count(visits.funnel.viewed)} visits paid
        </Tile>
        <Tile
          name="Charges paid"
          value={count(total.succeeded)}
          before={compared(total.succeeded, before.total.succeeded)}
        >
          {share(total.succeeded, tried)} of those tried
        </Tile>
        <Tile
          name="Charges declined"
          value={count(total.declined)}
          before={compared(total.declined, before.total.declined)}
        >
          {share(total.declined, tried)} of those tried
        </Tile>
        <Tile name="Webhooks waiting" value={count(now.webhooks_waiting)} isBad={waited > WAIT_MS_MAX} isNow>
          {since === null ? "Merchants know everything" : `The oldest for ${span(waited)}`}
        </Tile>
        <Tile name="Outcomes open" value={count(now.attempts_open)} isNow>
          Attempts under way or unknown
        </Tile>
        <Tile name="Events dropped" value={count(now.events_dropped)} isBad={now.events_dropped > 0} isNow>
          By this node since it started
        </Tile>
      </dl>
    </section>
  );
}

/** "340 (+12 %)". */
function compared(now: number, before: number): string {
  return `${count(before)} (${change(now, before)})`;
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  /** The same figure of the period before. */
  readonly before?: string;
  /** It is the present value, whatever the range. */
  readonly isNow?: boolean;
  /** Somebody should look at it. */
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
