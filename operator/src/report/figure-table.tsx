// A table of figures. In a narrow panel each row becomes a block (`look/stacked-tables.css`).

import type { ReactNode } from "react";

export interface FigureColumn<Row> {
  readonly name: string;
  /** The head of the column, if it is more than the name. */
  readonly head?: ReactNode;
  readonly className?: "number" | "number strong" | "number soft" | "interval";
  readonly value: (row: Row) => ReactNode;
}

interface FigureTableProps<Row> {
  readonly className: string;
  /** The name for the rows' subject, such as "Locale". */
  readonly of: string;
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  readonly rowHead: (row: Row) => ReactNode;
  readonly columns: readonly FigureColumn<Row>[];
}

export function FigureTable<Row>(props: FigureTableProps<Row>) {
  const { className, of, rows, rowKey, rowHead, columns } = props;
  return (
    <table className={className}>
      <thead>
        <tr>
          <th scope="col">{of}</th>
          {columns.map(({ name, head = name, className }) => (
            <th key={name} scope="col" className={className === "interval" ? undefined : "number"}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)} data-row={rowKey(row)}>
            <th scope="row">{rowHead(row)}</th>
            {columns.map(({ name, className = "number", value }) => {
              const shown = value(row);
              return (
                <td key={name} className={className} data-label={shown === "" ? undefined : name}>
                  {shown}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ShareBarProps {
  /** From 0 to 1. */
  readonly share: number;
  readonly kind: "plain" | "good" | "bad";
}

/** A bar behind a row's head. Screen readers skip the bar, because the row has the same value as a number. */
export function ShareBar({ share, kind }: ShareBarProps) {
  return (
    <span className="bar-track" aria-hidden="true">
      <span
        className="bar-fill"
        style={{ inlineSize: `${Math.min(1, share) * 100}%`, background: `var(--bar-${kind})` }}
      />
    </span>
  );
}
