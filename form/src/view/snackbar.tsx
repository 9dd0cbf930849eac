// The snackbar after a saved card was removed (docs/saved-cards.md#how-a-card-leaves).

import { useEffect } from "react";

import { ELEMENT_IDS } from "../card/element-ids.ts";
import { DoneMark } from "./late-icons.tsx";
import { useStore, useText } from "./store.ts";

/** How long the snackbar stays. */
const SNACKBAR_MS = 2_000;

export function Snackbar() {
  const text = useText();
  const store = useStore();
  useEffect(() => {
    const timer = setTimeout(() => store.send({ type: "snackbar-dismissed" }), SNACKBAR_MS);
    return () => clearTimeout(timer);
  }, [store]);
  return (
    <button
      type="button"
      className="snackbar"
      id={ELEMENT_IDS.cardRemoved}
      onClick={() => store.send({ type: "snackbar-dismissed" })}
    >
      <DoneMark />
      <span>{text("card_removed")}</span>
    </button>
  );
}
