// The list of test cards, each with a button that copies its number.

import { Copy } from "./copy.tsx";
import type { TestCard } from "./shop-server.ts";

/** How many cards that pay, and how many that are declined, are shown at first. */
const PAYING_AT_FIRST = 4;
const DECLINED_AT_FIRST = 5;

export function TestCards({ cards }: { readonly cards: readonly TestCard[] }) {
  const challenged = cards.filter(({ label }) => label.startsWith("3-D Secure"));
  const others = cards.filter((card) => !challenged.includes(card));
  const paying = others.filter(pays);
  const declined = others.filter((card) => !pays(card));
  const first = [...paying.slice(0, PAYING_AT_FIRST), ...declined.slice(0, DECLINED_AT_FIRST), ...challenged];
  return (
    <section id="test-cards" className="test-cards" aria-labelledby="test-cards-title">
      <h2 id="test-cards-title">Test cards</h2>
      <p className="test-cards-text">
        Pay with any of these, any date to come and any security code of the right length.
      </p>
      <CardList cards={first} />
      <MoreCards title="More cards that pay" cards={paying.slice(PAYING_AT_FIRST)} />
      <MoreCards title="More cards that are declined" cards={declined.slice(DECLINED_AT_FIRST)} />
    </section>
  );
}

function MoreCards({ title, cards }: { readonly title: string; readonly cards: readonly TestCard[] }) {
  return (
    cards.length > 0 && (
      <details className="test-cards-more">
        <summary>{title}</summary>
        <CardList cards={cards} />
      </details>
    )
  );
}

function CardList({ cards }: { readonly cards: readonly TestCard[] }) {
  return (
    <ul>
      {cards.map((card) => (
        <li key={card.number} className="test-card" data-outcome={pays(card) ? "approved" : "declined"}>
          <span className="test-card-text">
            <span className="test-card-number" dir="ltr">
              {grouped(card.number)}
            </span>
            <span className="test-card-label">
              <bdi>{card.label}</bdi>
            </span>
          </span>
          <Copy label="Copy" name={`Copy ${card.label}, ${grouped(card.number)}`} text={() => card.number} />
        </li>
      ))}
    </ul>
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
