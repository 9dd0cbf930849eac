// A card: its brand and its last four digits.

import { brandName } from "../names.ts";

interface CardNameProps {
  readonly card: { readonly brand: string | null; readonly last_four: string | null } | null;
}

export function CardName({ card }: CardNameProps) {
  if (card === null || card.last_four === null) {
    return <span className="soft">–</span>;
  }
  return (
    <span className="card-name">
      {card.brand ? brandName(card.brand) : "Card"}{" "}
      <span className="digits">
        <span aria-hidden="true">•••• </span>
        {card.last_four}
      </span>
    </span>
  );
}
