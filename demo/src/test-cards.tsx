// The cards to try the shop with, each with a button that copies its number.

import { useEffect, useRef, useState } from "react";
import type { TestCard } from "./shop-server.ts";

/** How long a button says "Copied", in milliseconds. */
const COPIED_MS = 2_000;

/** How many of the cards that pay, and of those that are declined, are shown at first. */
const PAYING_IN_SIGHT = 4;
const DECLINED_IN_SIGHT = 5;

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

  const paying = cards.filter((card) => pays(card) && !card.label.startsWith("3-D Secure"));
  const confirmed = cards.filter(({ label }) => label.startsWith("3-D Secure"));
  const declined = cards.filter((card) => !pays(card) && !confirmed.includes(card));
  const rows = (shown: readonly TestCard[]) => (
    <ul>
      {shown.map((card) => (
        <Row key={card.number} card={card} copied={card.number === copied} onCopied={setCopied} />
      ))}
    </ul>
  );
  return (
    <section id="test-cards" className="test-cards" aria-labelledby="test-cards-title">
      <h2 id="test-cards-title">Test cards</h2>
      <p className="test-cards-text">
        Pay with any of these, any date to come and any security code of the right length.
      </p>
      {rows([...paying.slice(0, PAYING_IN_SIGHT), ...declined.slice(0, DECLINED_IN_SIGHT), ...confirmed])}
      {paying.length > PAYING_IN_SIGHT && (
        <details className="test-cards-more">
          <summary>More cards that pay</summary>
          {rows(paying.slice(PAYING_IN_SIGHT))}
        </details>
      )}
      {declined.length > DECLINED_IN_SIGHT && (
        <details className="test-cards-more">
          <summary>More cards that are declined</summary>
          {rows(declined.slice(DECLINED_IN_SIGHT))}
        </details>
      )}
      <p className="visually-hidden" role="status">
        {copied && "Card number copied."}
      </p>
    </section>
  );
}

interface RowProps {
  readonly card: TestCard;
  readonly copied: boolean;
  readonly onCopied: (number: string) => void;
}

function Row({ card, copied, onCopied }: RowProps) {
  const printed = useRef<HTMLSpanElement>(null);
  const { number, label } = card;

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(number);
      onCopied(number);
    } catch {
      // Without a clipboard (a page over plain HTTP) the number is at least selected.
      if (printed.current) {
        getSelection()?.selectAllChildren(printed.current);
      }
    }
  }

  return (
    <li className="test-card" data-outcome={pays(card) ? "approved" : "declined"}>
      <span className="test-card-text">
        <span className="test-card-number" dir="ltr" ref={printed}>
          {grouped(number)}
        </span>
        <span className="test-card-label">{label}</span>
      </span>
      <button className="copy" type="button" aria-label={`Copy ${label}, ${grouped(number)}`} onClick={copy}>
        {copied ? "Copied" : "Copy"}
      </button>
    </li>
  );
}

function pays({ outcome }: TestCard): boolean {
  return outcome === "approved";
}

/** As printed on a card: groups of four, or 4-6-5 where there are fifteen digits. */
function grouped(number: string): string {
  const groups = number.length === 15 ? /^(\d{4})(\d{6})(\d{5})$/ : null;
  return groups ? number.replace(groups, "$1 $2 $3") : number.replace(/(\d{4})(?=\d)/g, "$1 ");
}
