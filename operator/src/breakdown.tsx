// A table that compares the conversion of groups of visits: by locale, by brand or by payment method.

import { useState } from "react";
import type { NamedFunnel } from "../../form/generated/wire.ts";
import { formatCount, formatShare } from "./number-format.ts";
import { Panel } from "./panel.tsx";
import { ShareBar } from "./share-bar.tsx";
import { TableHead } from "./table-head.tsx";

/** How many rows are shown at first. */
const ROWS_AT_FIRST = 8;

interface BreakdownProps {
  readonly title: string;
  readonly column: string;
  readonly rows: readonly NamedFunnel[];
  readonly name: (id: string) => string;
}

export function Breakdown({ title, column, rows, name }: BreakdownProps) {
  const [isExpanded, setExpanded] = useState(false);
  const shown = isExpanded ? rows : rows.slice(0, ROWS_AT_FIRST);
  return (
    <Panel title={title} hint="Paid of the visits">
      {rows.length === 0 ? (
        <p className="empty">Nothing to tell in this range.</p>
      ) : (
        <table className="bars stacks-late">
          <TableHead of={column} numbers={["Visits", "Paid", "Conversion"]} />
          <tbody>
            {shown.map(({ name: id, funnel }) => (
              <tr key={id}>
                <th scope="row">
                  <ShareBar share={funnel.viewed === 0 ? 0 : funnel.paid / funnel.viewed} kind="good" />
                  <span>{name(id)}</span>
                </th>
                <td className="number" data-label="Visits">
                  {formatCount(funnel.viewed)}
                </td>
                <td className="number" data-label="Paid">
                  {formatCount(funnel.paid)}
                </td>
                <td className="number strong" data-label="Conversion">
                  {formatShare(funnel.paid, funnel.viewed)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
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
