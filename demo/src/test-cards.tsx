// The list of test cards, each with a button that copies its number.

import { useEffect, useRef, useState } from "react";
import type { TestCard } from "./shop-server.ts";

/** How long a button says "Copied", in milliseconds. */
const COPIED_MS = 2_000;

/** How many cards that pay, and how many that are declined, are shown at first. */
const PAYING_AT_FIRST = 4;
const DECLINED_AT_FIRST = 5;

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
  const challenged = cards.filter(({ label }) => label.startsWith("3-D Secure"));
  const declined = cards.filter((card) => !pays(card) && !challenged.includes(card));
  const rows = (shown: readonly TestCard[]) => (
    <ul>
      {shown.map((card) => (
        <TestCardRow key={card.number} card={card} copied={card.number === copied} onCopied={setCopied} />
      ))}
    </ul>
  );
  return (
    <section id="test-cards" className="test-cards" aria-labelledby="test-cards-title">
      <h2 id="test-cards-title">Test cards</h2>
      <p className="test-cards-text">
        Pay with any of these, any date to come and any security code of the right length.
      </p>
      {rows([...paying.slice(0, PAYING_AT_FIRST), ...declined.slice(0, DECLINED_AT_FIRST), ...challenged])}
      {paying.length > PAYING_AT_FIRST && (
        <details className="test-cards-more">
          <summary>More cards that pay</summary>
          {rows(paying.slice(PAYING_AT_FIRST))}
        </details>
      )}
      {declined.length > DECLINED_AT_FIRST && (
        <details className="test-cards-more">
          <summary>More cards that are declined</summary>
          {rows(declined.slice(DECLINED_AT_FIRST))}
        </details>
      )}
      <p className="visually-hidden" role="status">
        {copied && "Card number copied."}
      </p>
    </section>
  );
}

interface TestCardRowProps {
  readonly card: TestCard;
  readonly copied: boolean;
  readonly onCopied: (number: string) => void;
}

function TestCardRow({ card, copied, onCopied }: TestCardRowProps) {
  const numberText = useRef<HTMLSpanElement>(null);
  const { number, label } = card;

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(number);
      onCopied(number);
    } catch {
      // A page over plain http has no clipboard. Then the number is selected, so that the shopper can copy it.
      if (numberText.current) {
        getSelection()?.selectAllChildren(numberText.current);
      }
    }
  }

  return (
    <li className="test-card" data-outcome={pays(card) ? "approved" : "declined"}>
      <span className="test-card-text">
        <span className="test-card-number" dir="ltr" ref={numberText}>
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

/** The number in groups as on a card: groups of four digits, or of 4, 6 and 5 when it has fifteen. */
function grouped(number: string): string {
  const groups = number.length === 15 ? /^(\d{4})(\d{6})(\d{5})$/ : null;
  return groups ? number.replace(groups, "$1 $2 $3") : number.replace(/(\d{4})(?=\d)/g, "$1 ");
}
