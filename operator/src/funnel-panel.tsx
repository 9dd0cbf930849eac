// The funnel from the page's opening to paid: a table whose rows are the bars.

import type { Funnel } from "../../form/generated/wire.ts";
import { Bar } from "./bar.tsx";
import { Head } from "./head.tsx";
import { Panel } from "./panel.tsx";
import { count, STEPS, several, share } from "./words.ts";

interface FunnelPanelProps {
  readonly funnel: Funnel;
  /** Of the period before. */
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
          <Head of="Step" numbers={["Visits", "Of all", "Before", "Lost on the way"]} />
          <tbody>
            {STEPS.map(({ step, name, hint }, index) => {
              const before = funnel[STEPS[index - 1]?.step ?? "viewed"];
              const lost = before - funnel[step];
              return (
                <tr key={step} data-step={step}>
                  <th scope="row">
                    <Bar share={funnel[step] / funnel.viewed} kind={step === "paid" ? "good" : "plain"} />
                    <span>{name}</span>
                    <span className="soft small hint">{hint}</span>
                  </th>
                  <td className="number strong" data-label="Visits">
                    {count(funnel[step])}
                  </td>
                  <td className="number" data-label="Of all">
                    {share(funnel[step], funnel.viewed)}
                  </td>
                  <td className="number soft" data-label="Before">
                    {share(earlier[step], earlier.viewed)}
                  </td>
                  <td className="number soft" data-label={index === 0 ? undefined : "Lost on the way"}>
                    {index === 0 ? "" : <Lost lost={lost} before={before} />}
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

function Lost({ lost, before }: { readonly lost: number; readonly before: number }) {
  return lost === 0 ? (
    "none"
  ) : (
    <span title={`${several(lost, "visit")} of ${count(before)}`}>
      {count(lost)} <span className="small">({share(lost, before)})</span>
    </span>
  );
}
