// The networks of a card, if they are known: two are radio buttons (docs/form.md#card-networks). No look-up is answered before
// this script has loaded.

import { BRAND_LABELS } from "../../generated/rules.ts";
import { networkOf, networksOf } from "../card/card-networks.ts";
import { networkId } from "../card/element-ids.ts";
import { isDisabled } from "../card/form.ts";
import { BrandLogo, BrandLogos } from "./brand-logos.tsx";
import { useForm, useStore, useText } from "./store.ts";

/** What the input of the card number has at its end: the choice, the logo of the only network, or the logos of the brands. */
export function NetworkLogos({ id }: { readonly id: string }) {
  const networks = useForm(networksOf);
  const [first = null] = networks;
  if (networks.length > 1) {
    return <NetworkChoice id={id} />;
  }
  return first === null ? (
    <BrandLogos />
  ) : (
    <span className="brand-logos" role="img" aria-label={BRAND_LABELS[first]}>
      <BrandLogo name={first} />
    </span>
  );
}

/** The words below the choice. Screen readers hear them as its name. */
export function NetworkNote() {
  const text = useText();
  const hasChoice = useForm((form) => networksOf(form).length > 1);
  return hasChoice ? (
    <span className="field-note" aria-hidden="true">
      {text("choose_network")}
    </span>
  ) : null;
}

/** `id` is that of the card: each radio button's id begins with it. */
export function NetworkChoice({ id }: { readonly id: string }) {
  const text = useText();
  const store = useStore();
  const networks = useForm(networksOf);
  const chosen = useForm((form) => networkOf(store.config, form));
  const disabled = useForm(isDisabled);
  return (
    <span className="networks" role="radiogroup" aria-label={text("choose_network")}>
      {networks.map((network) => (
        <label key={network} className="network" title={BRAND_LABELS[network]}>
          <BrandLogo name={network} />
          <input
            type="radio"
            className="network-radio"
            name={`${id}-network`}
            id={networkId(id, network)}
            aria-label={BRAND_LABELS[network]}
            checked={network === chosen}
            // Not `disabled`, which would take the focus away while the payment is under way.
            aria-disabled={disabled}
            onChange={() => store.send({ type: "network-chosen", network })}
          />
        </label>
      ))}
    </span>
  );
}
