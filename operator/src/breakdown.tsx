// The conversion of groups of visits, compared: by locale, by brand, by way to pay.

import { useState } from "react";
import type { NamedFunnel } from "../../form/generated/wire.ts";
import { Bar } from "./bar.tsx";
import { Head } from "./head.tsx";
import { Panel } from "./panel.tsx";
import { count, share } from "./words.ts";

/** How many rows are shown at first. */
const ROWS_AT_FIRST = 8;

interface BreakdownProps {
  readonly title: string;
  readonly column: string;
  readonly rows: readonly NamedFunnel[];
  readonly name: (id: string) => string;
}

export function Breakdown({ title, column, rows, name }: BreakdownProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, ROWS_AT_FIRST);
  return (
    <Panel title={title} hint="Paid of the visits">
      {rows.length === 0 ? (
        <p className="empty">Nothing to tell in this range.</p>
      ) : (
        <table className="bars stacks-late">
          <Head of={column} numbers={["Visits", "Paid", "Conversion"]} />
          <tbody>
            {shown.map(({ name: id, funnel }) => (
              <tr key={id}>
                <th scope="row">
                  <Bar share={funnel.viewed === 0 ? 0 : funnel.paid / funnel.viewed} kind="good" />
                  <span>{name(id)}</span>
                </th>
                <td className="number" data-label="Visits">
                  {count(funnel.viewed)}
                </td>
                <td className="number" data-label="Paid">
                  {count(funnel.paid)}
                </td>
                <td className="number strong" data-label="Conversion">
                  {share(funnel.paid, funnel.viewed)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.length > ROWS_AT_FIRST && (
        <button type="button" className="more" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? "Show fewer" : `Show all ${rows.length}`}
        </button>
      )}
    </Panel>
  );
}
