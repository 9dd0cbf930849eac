// What a measurement prints: one line of JSON for each row of the table of `cargo xtask bench`.

/** A measured figure beside what it is compared with. */
export interface Row {
  readonly name: string;
  readonly measured: number;
  /** Of both figures and of the budget. */
  readonly unit: string;
  /** What the figure is compared with, measured in the same run. */
  readonly yardstick?: { readonly name: string; readonly measured: number };
  /** The most that may be measured. */
  readonly measured_max?: number;
}

export function print(row: Row): void {
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
