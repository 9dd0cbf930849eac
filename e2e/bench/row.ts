// What a measurement prints: one line of JSON for each row in the table of `cargo xtask bench`.

/** A measured figure, and the figure that it is compared with. */
export interface Row {
  readonly name: string;
  readonly measured: number;
  /** The unit of both figures and of the budget. */
  readonly unit: string;
  /** The figure for comparison, measured in the same run. */
  readonly yardstick?: { readonly name: string; readonly measured: number };
  /** The budget: `measured` may not be more. */
  readonly measured_max?: number;
  /** Another budget: `measured` may not be more than so many times the yardstick's. */
  readonly ratio_max?: number;
}

export function print(row: Row): void {
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
