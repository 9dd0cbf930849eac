// A table that compares the conversion of groups of visits: by locale, by brand or by payment method.

import { useState } from "react";
import type { NamedFunnel } from "../../../form/generated/wire.ts";
import { formatCount, formatShare } from "../number-format.ts";
import { Panel } from "../panel.tsx";
import { type FigureColumn, FigureTable, ShareBar } from "./figure-table.tsx";

/** How many rows are shown at first. */
const ROWS_AT_FIRST = 8;

const CONVERSION_COLUMNS: readonly FigureColumn<NamedFunnel>[] = [
  { name: "Visits", value: ({ funnel }) => formatCount(funnel.viewed) },
  { name: "Paid", value: ({ funnel }) => formatCount(funnel.paid) },
  {
    name: "Conversion",
    className: "number strong",
    value: ({ funnel }) => formatShare(funnel.paid, funnel.viewed),
  },
];

interface BreakdownProps {
  readonly title: string;
  readonly column: string;
  readonly rows: readonly NamedFunnel[];
  readonly name: (id: string) => string;
}

export function Breakdown({ title, column, rows, name }: BreakdownProps) {
  const [isExpanded, setExpanded] = useState(false);
  return (
    <Panel title={title} hint="Paid of the visits">
      {rows.length === 0 ? (
        <p className="empty">No visit in this range.</p>
      ) : (
        <FigureTable
          className="bars stacks-late"
          of={column}
          rows={isExpanded ? rows : rows.slice(0, ROWS_AT_FIRST)}
          rowKey={(row) => row.name}
          rowHead={({ name: id, funnel }) => (
            <>
              <ShareBar share={funnel.viewed === 0 ? 0 : funnel.paid / funnel.viewed} kind="good" />
              <span>{name(id)}</span>
            </>
          )}
          columns={CONVERSION_COLUMNS}
        />
      )}
      {rows.length > ROWS_AT_FIRST && (
        <button
          type="button"
          className="more"
          onClick={() => setExpanded(!isExpanded)}
          aria-expanded={isExpanded}
        >
          {isExpanded ? "Show fewer" : `Show all ${rows.length}`}
        </button>
      )}
    </Panel>
  );
}
