// The head of a table: what a row is about, and the names of its numbers.

import type { ReactNode } from "react";

interface HeadProps {
  /** What the rows are. */
  readonly of: string;
  readonly numbers: readonly string[];
  /** The head of a last column that holds no number. */
  readonly last?: ReactNode;
}

export function Head({ of, numbers, last }: HeadProps) {
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
