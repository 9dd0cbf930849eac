// The cards to try the shop with, each with a button that copies its number.

import { useEffect, useState } from "react";
import type { TestCard } from "./shop-server.ts";

/** How long a button says "Copied", in milliseconds. */
const COPIED_MS = 2_000;

/** The list. */
export function TestCards({ cards }: { cards: readonly TestCard[] }) {
  const [copied, setCopied] = useState<string | null>(null);

  useEffect(() => {
    if (copied === null) {
      return;
    }
    const timer = setTimeout(() => setCopied(null), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);

  async function copy(number: string, element: HTMLElement): Promise<void> {
    try {
      await navigator.clipboard.writeText(number);
      setCopied(number);
    } catch {
      // Without a clipboard (a page over plain HTTP) the number is at least selected.
      getSelection()?.selectAllChildren(element);
    }
  }

  return (
    <section id="test-cards" className="test-cards" aria-labelledby="test-cards-title">
      <h2 id="test-cards-title">Test cards</h2>
      <p className="test-cards-text">
        Pay with any of these, any date to come and any security code of the right length.
      </p>
      <ul>
        {cards.map(({ number, label, outcome }) => (
          <li
            key={number}
            className="test-card"
            data-outcome={outcome === "approved" ? "approved" : "declined"}
          >
            <span className="test-card-text">
              <span className="test-card-number" dir="ltr" id={`test-card-${number}`}>
                {grouped(number)}
              </span>
              <span className="test-card-label">{label}</span>
            </span>
            <button
              className="copy"
              type="button"
              aria-label={`Copy ${label}, ${grouped(number)}`}
              onClick={({ currentTarget }) =>
                copy(number, currentTarget.parentElement?.querySelector(".test-card-number") ?? currentTarget)
              }
            >
              {copied === number ? "Copied" : "Copy"}
            </button>
          </li>
        ))}
      </ul>
      <p className="visually-hidden" role="status">
        {copied && "Card number copied."}
      </p>
    </section>
  );
}

/** As printed on a card: groups of four, or 4-6-5 where there are fifteen digits. */
function grouped(number: string): string {
  const groups = number.length === 15 ? /^(\d{4})(\d{6})(\d{5})$/ : null;
  return groups ? number.replace(groups, "$1 $2 $3") : number.replace(/(\d{4})(?=\d)/g, "$1 ");
}
