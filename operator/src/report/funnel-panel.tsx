// The funnel from opening the page to paying: a table with a bar behind each row.

import type { Funnel } from "../../../form/generated/wire.ts";
import { STEPS } from "../names.ts";
import { formatCount, formatCountOf, formatShare } from "../number-format.ts";
import { Panel } from "../panel.tsx";
import { FigureTable, ShareBar } from "./figure-table.tsx";

interface FunnelPanelProps {
  readonly funnel: Funnel;
  /** The funnel of the period before. */
  readonly before: Funnel;
}

export function FunnelPanel({ funnel, before }: FunnelPanelProps) {
  const rows = STEPS.map((step, index) => ({ ...step, previous: STEPS[index - 1]?.step }));
  return (
    <Panel title="From opening to paid" hint="Visits by how far they came">
      {funnel.viewed === 0 ? (
        <p className="empty">No visit in this range.</p>
      ) : (
        <FigureTable
          className="funnel stacks"
          of="Step"
          rows={rows}
          rowKey={({ step }) => step}
          rowHead={({ step, name, hint }) => (
            <>
              <ShareBar share={funnel[step] / funnel.viewed} kind={step === "paid" ? "good" : "plain"} />
              <span>{name}</span>
              <span className="soft small hint">{hint}</span>
            </>
          )}
          columns={[
            { name: "Visits", className: "number strong", value: ({ step }) => formatCount(funnel[step]) },
            { name: "Of all", value: ({ step }) => formatShare(funnel[step], funnel.viewed) },
            {
              name: "Before",
              className: "number soft",
              value: ({ step }) => formatShare(before[step], before.viewed),
            },
            {
              name: "Lost on the way",
              className: "number soft",
              value: ({ step, previous }) =>
                previous ? <LostVisits now={funnel[step]} before={funnel[previous]} /> : "",
            },
          ]}
        />
      )}
    </Panel>
  );
}

function LostVisits({ now, before }: { readonly now: number; readonly before: number }) {
  const lost = before - now;
  return lost === 0 ? (
    "none"
  ) : (
    <span title={`${formatCountOf(lost, "visit")} of ${formatCount(before)}`}>
      {formatCount(lost)} <span className="small">({formatShare(lost, before)})</span>
    </span>
  );
}
