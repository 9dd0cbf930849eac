// The amount paid in each currency, compared with the period before.

import type { Money } from "../../../form/generated/wire.ts";
import { formatChange, formatCount, formatMoney } from "../number-format.ts";
import { Panel } from "../panel.tsx";
import { FigureTable } from "./figure-table.tsx";

interface MoneyPanelProps {
  readonly now: readonly Money[];
  readonly before: readonly Money[];
}

export function MoneyPanel({ now, before }: MoneyPanelProps) {
  const currencies = new Set([...now, ...before].map(({ currency }) => currency));
  const rows = [...currencies].map((currency) => ({
    currency,
    paid: paidIn(currency, now),
    paidBefore: paidIn(currency, before),
  }));
  return (
    <Panel title="Money paid" hint="Charges made in the range and paid by now, by currency">
      {rows.length === 0 ? (
        <p className="empty">Nothing was paid in this range or before it.</p>
      ) : (
        <FigureTable
          className="plain stacks money"
          of="Currency"
          rows={rows}
          rowKey={({ currency }) => currency}
          rowHead={({ currency }) => currency}
          columns={[
            { name: "Charges", value: ({ paid }) => formatCount(paid.charges) },
            {
              name: "Paid",
              className: "number strong",
              value: ({ paid }) => formatMoney(paid.amount, paid.currency),
            },
            {
              name: "Before",
              value: ({ paidBefore }) => formatMoney(paidBefore.amount, paidBefore.currency),
            },
            {
              name: "Change",
              value: ({ paid, paidBefore }) => formatChange(Number(paid.amount), Number(paidBefore.amount)),
            },
          ]}
        />
      )}
    </Panel>
  );
}

function paidIn(currency: string, all: readonly Money[]): Money {
  return all.find((one) => one.currency === currency) ?? { currency, amount: "0", charges: 0 };
}
