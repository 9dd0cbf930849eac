// Charges over time: the chart, the totals that are its legend, and the same as a table.

import { useState } from "react";
import type { ChargeReport } from "../../form/generated/wire.ts";
import { ChargesChart } from "./charges-chart.tsx";
import { Head } from "./head.tsx";
import { Panel } from "./panel.tsx";
import { bucketTime } from "./times.ts";
import { count, declineName, OUTCOMES, several } from "./words.ts";

export function ChargesPanel({ charges }: { readonly charges: ChargeReport }) {
  const [pointed, setPointed] = useState<number | null>(null);
  const bucket = charges.buckets.find(({ at }) => at === pointed);
  const shown = bucket?.outcomes ?? charges.total;
  const all = OUTCOMES.reduce((sum, { outcome }) => sum + charges.total[outcome], 0);
  return (
    <Panel title="Charges over time" hint="By when they were made and where they stand now">
      <div className="legend">
        <p className="legend-time">
          {bucket ? bucketTime(bucket.at, charges.bucket_ms) : "All of the range"}
        </p>
        <dl>
          {OUTCOMES.map(({ outcome, name }) => (
            <div key={outcome} data-outcome={outcome}>
              <dt>
                <span className={`swatch outcome-${outcome}`} aria-hidden="true" />
                {name}
              </dt>
              <dd>{count(shown[outcome])}</dd>
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
            .map(({ name, charges: number }) => `${declineName(name).toLowerCase()} ${count(number)}`)
            .join(" · ")}
        </p>
      )}
      {all > 0 && <ChargesTable charges={charges} />}
    </Panel>
  );
}

/** Buckets with charges, the latest first. */
function ChargesTable({ charges }: { readonly charges: ChargeReport }) {
  const filled = charges.buckets
    .filter(({ outcomes }) => OUTCOMES.some(({ outcome }) => outcomes[outcome] > 0))
    .toReversed();
  return (
    <details>
      <summary>As a table ({several(filled.length, "row")})</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by key */}
      <section className="scroller" aria-label="Charges bar by bar" tabIndex={0}>
        <table className="plain stacks">
          <Head of="Time" numbers={OUTCOMES.map(({ name }) => name)} />
          <tbody>
            {filled.map(({ at, outcomes }) => (
              <tr key={at}>
                <th scope="row">{bucketTime(at, charges.bucket_ms)}</th>
                {OUTCOMES.map(({ outcome, name }) => (
                  <td key={outcome} className="number" data-label={name}>
                    {count(outcomes[outcome])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
