// Charges over time: the chart, its legend with the totals, and a table with the same figures.

import { useState } from "react";
import type { ChargeBucket, ChargeReport } from "../../../form/generated/wire.ts";
import { declineName, OUTCOMES } from "../names.ts";
import { formatCount, formatCountOf } from "../number-format.ts";
import { Panel } from "../panel.tsx";
import { formatBucketTime } from "../times.ts";
import { ChargesChart } from "./charges-chart.tsx";
import { FigureTable } from "./figure-table.tsx";

export function ChargesPanel({ charges }: { readonly charges: ChargeReport }) {
  const [pointed, setPointed] = useState<number | null>(null);
  const bucket = charges.buckets.find(({ at }) => at === pointed);
  const shown = bucket?.outcomes ?? charges.total;
  const all = OUTCOMES.reduce((sum, { outcome }) => sum + charges.total[outcome], 0);
  return (
    <Panel title="Charges over time" hint="By when they were made and where they stand now">
      <div className="legend">
        <p className="legend-time">
          {bucket ? formatBucketTime(bucket.at, charges.bucket_ms) : "All of the range"}
        </p>
        <dl>
          {OUTCOMES.map(({ outcome, name }) => (
            <div key={outcome} data-outcome={outcome}>
              <dt>
                <span className="swatch" style={{ background: `var(--${outcome})` }} aria-hidden="true" />
                {name}
              </dt>
              <dd>{formatCount(shown[outcome])}</dd>
            </div>
          ))}
        </dl>
      </div>
      {all === 0 ? (
        <p className="empty chart-empty">No charge was made in this range.</p>
      ) : (
        <ChargesChart charges={charges} pointed={pointed} onPoint={setPointed} />
      )}
      {charges.declines.length > 0 && (
        <p className="small soft declines">
          Declined:{" "}
          {charges.declines
            .slice(0, 4)
            .map(({ name, charges: number }) => `${declineName(name).toLowerCase()} ${formatCount(number)}`)
            .join(" · ")}
        </p>
      )}
      {all > 0 && <ChargesTable charges={charges} />}
    </Panel>
  );
}

/** The buckets that have charges. The latest one is first. */
function ChargesTable({ charges }: { readonly charges: ChargeReport }) {
  const filled = charges.buckets
    .filter(({ outcomes }) => OUTCOMES.some(({ outcome }) => outcomes[outcome] > 0))
    .toReversed();
  return (
    <details>
      <summary>As a table ({formatCountOf(filled.length, "row")})</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a region that scrolls */}
      <section className="scroller" aria-label="Charges bar by bar" tabIndex={0}>
        <FigureTable
          className="plain stacks"
          of="Time"
          rows={filled}
          rowKey={({ at }) => at}
          rowHead={({ at }) => formatBucketTime(at, charges.bucket_ms)}
          columns={OUTCOMES.map(({ outcome, name }) => ({
            name,
            value: ({ outcomes }: ChargeBucket) => formatCount(outcomes[outcome]),
          }))}
        />
      </section>
    </details>
  );
}
