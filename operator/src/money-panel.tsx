// The amount paid in each currency, compared with the period before.

import type { Money } from "../../form/generated/wire.ts";
import { formatChange, formatCount, formatMoney } from "./number-format.ts";
import { Panel } from "./panel.tsx";
import { TableHead } from "./table-head.tsx";

interface MoneyPanelProps {
  readonly now: readonly Money[];
  readonly before: readonly Money[];
}

export function MoneyPanel({ now, before }: MoneyPanelProps) {
  const rows = [...now, ...before.filter(({ currency }) => !now.some((one) => one.currency === currency))];
  return (
    <Panel title="Money paid" hint="Charges made in the range and paid by now, by currency">
      {rows.length === 0 ? (
        <p className="empty">Nothing was paid in this range or before it.</p>
      ) : (
        <table className="plain stacks">
          <TableHead of="Currency" numbers={["Charges", "Paid", "Before", "Change"]} />
          <tbody>
            {rows.map(({ currency }) => {
              const [paid, paidBefore] = [now, before].map(
                (all) => all.find((one) => one.currency === currency) ?? { amount: "0", charges: 0 },
              ) as [Money, Money];
              return (
                <tr key={currency} data-currency={currency}>
                  <th scope="row">{currency}</th>
                  <td className="number" data-label="Charges">
                    {formatCount(paid.charges)}
                  </td>
                  <td className="number strong" data-label="Paid">
                    {formatMoney(paid.amount, currency)}
                  </td>
                  <td className="number" data-label="Before">
                    {formatMoney(paidBefore.amount, currency)}
                  </td>
                  <td className="number" data-label="Change">
                    {formatChange(Number(paid.amount), Number(paidBefore.amount))}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
