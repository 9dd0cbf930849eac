// The head of a table: a name for the rows, and the names of the columns with numbers.

import type { ReactNode } from "react";

interface TableHeadProps {
  /** The name for what the rows are about, such as "Locale". */
  readonly of: string;
  readonly numbers: readonly string[];
  /** The head of a last column without numbers. */
  readonly last?: ReactNode;
}

export function TableHead({ of, numbers, last }: TableHeadProps) {
  return (
    <thead>
      <tr>
        <th scope="col">{of}</th>
        {numbers.map((name) => (
          <th key={name} scope="col" className="number">
            {name}
          </th>
        ))}
        {last !== undefined && <th scope="col">{last}</th>}
      </tr>
    </thead>
  );
}
