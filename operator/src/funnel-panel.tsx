// The funnel from opening the page to paying: a table with a bar behind each row.

import type { Funnel } from "../../form/generated/wire.ts";
import { STEPS } from "./names.ts";
import { formatCount, formatCountOf, formatShare } from "./number-format.ts";
import { Panel } from "./panel.tsx";
import { ShareBar } from "./share-bar.tsx";
import { TableHead } from "./table-head.tsx";

interface FunnelPanelProps {
  readonly funnel: Funnel;
  /** The funnel of the period before. */
  readonly before: Funnel;
}

export function FunnelPanel({ funnel, before: earlier }: FunnelPanelProps) {
  const isEmpty = funnel.viewed === 0;
  return (
    <Panel title="From opening to paid" hint="Visits by how far they came">
      {isEmpty ? (
        <p className="empty">No visit in this range.</p>
      ) : (
        <table className="funnel stacks">
          <TableHead of="Step" numbers={["Visits", "Of all", "Before", "Lost on the way"]} />
          <tbody>
            {STEPS.map(({ step, name, hint }, index) => {
              const before = funnel[STEPS[index - 1]?.step ?? "viewed"];
              const lost = before - funnel[step];
              return (
                <tr key={step} data-step={step}>
                  <th scope="row">
                    <ShareBar
                      share={funnel[step] / funnel.viewed}
                      kind={step === "paid" ? "good" : "plain"}
                    />
                    <span>{name}</span>
                    <span className="soft small hint">{hint}</span>
                  </th>
                  <td className="number strong" data-label="Visits">
                    {formatCount(funnel[step])}
                  </td>
                  <td className="number" data-label="Of all">
                    {formatShare(funnel[step], funnel.viewed)}
                  </td>
                  <td className="number soft" data-label="Before">
                    {formatShare(earlier[step], earlier.viewed)}
                  </td>
                  <td className="number soft" data-label={index === 0 ? undefined : "Lost on the way"}>
                    {index === 0 ? "" : <LostVisits lost={lost} before={before} />}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function LostVisits({ lost, before }: { readonly lost: number; readonly before: number }) {
  return lost === 0 ? (
    "none"
  ) : (
    <span title={`${formatCountOf(lost, "visit")} of ${formatCount(before)}`}>
      {formatCount(lost)} <span className="small">({formatShare(lost, before)})</span>
    </span>
  );
}
