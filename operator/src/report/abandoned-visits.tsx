// Where shoppers gave up: in which field, after which error, and after which decline.

import type { NamedCount, VisitReport } from "../../../form/generated/wire.ts";
import { declineName, errorName, fieldName } from "../names.ts";
import { formatCount, formatShare } from "../number-format.ts";
import { Panel } from "../panel.tsx";
import { FigureTable, ShareBar } from "./figure-table.tsx";

export function AbandonedVisits({ visits }: { readonly visits: VisitReport }) {
  const { funnel } = visits;
  return (
    <div className="three-columns">
      <CountPanel
        title="Gave up in a field"
        hint="Started and did not submit, by the last field"
        column="Field"
        rows={visits.left_at_field}
        whole={funnel.started - funnel.submitted}
        name={fieldName}
        none="Nobody gave up while filling in."
      />
      <CountPanel
        title="Gave up after an error"
        hint="The same visits, by the last error they saw"
        column="Error"
        rows={visits.left_after_error}
        whole={funnel.started - funnel.submitted}
        name={errorName}
        none="Nobody gave up after an error."
      />
      <CountPanel
        title="Gave up after a decline"
        hint="Submitted and did not pay, by the last decline"
        column="Decline"
        rows={visits.left_after_decline}
        whole={funnel.submitted - funnel.paid}
        name={declineName}
        none={funnel.submitted === 0 ? "Nobody submitted." : "Everybody who submitted paid."}
      />
    </div>
  );
}

interface CountPanelProps {
  readonly title: string;
  readonly hint: string;
  readonly column: string;
  readonly rows: readonly NamedCount[];
  /** The number that is 100% for the shares. */
  readonly whole: number;
  readonly name: (id: string) => string;
  /** The text when there are no rows. */
  readonly none: string;
}

function CountPanel({ title, hint, column, rows, whole, name, none }: CountPanelProps) {
  const most = Math.max(1, ...rows.map(({ visits }) => visits));
  return (
    <Panel title={title} hint={hint}>
      {rows.length === 0 ? (
        <p className="empty">{none}</p>
      ) : (
        <FigureTable
          className="bars stacks-late"
          of={column}
          rows={rows}
          rowKey={(row) => row.name}
          rowHead={(row) => (
            <>
              <ShareBar share={row.visits / most} kind="bad" />
              <span>{name(row.name)}</span>
            </>
          )}
          columns={[
            { name: "Visits", className: "number strong", value: ({ visits }) => formatCount(visits) },
            { name: "Share", value: ({ visits }) => formatShare(visits, whole) },
          ]}
        />
      )}
    </Panel>
  );
}
