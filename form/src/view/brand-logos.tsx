// The logos at the right of the card number: those that could be meant, and the one that was detected.

import amex from "payment-icons/min/flat/amex.svg";
import generic from "payment-icons/min/flat/default.svg";
import diners from "payment-icons/min/flat/diners.svg";
import discover from "payment-icons/min/flat/discover.svg";
import elo from "payment-icons/min/flat/elo.svg";
import jcb from "payment-icons/min/flat/jcb.svg";
import maestro from "payment-icons/min/flat/maestro.svg";
import mastercard from "payment-icons/min/flat/mastercard.svg";
import unionpay from "payment-icons/min/flat/unionpay.svg";
import visa from "payment-icons/min/flat/visa.svg";

import { type BrandName, brandsToShow } from "../card/brand.ts";
import { brandOf } from "../card/form.ts";
import { useForm, useStore } from "./store.ts";

/** As many logos as leave room for a whole number. */
const LOGOS_MAX = 4;

/** Brands without an image of their own show the generic card ("§3"). */
const IMAGES: Readonly<Partial<Record<BrandName, string>>> = {
  visa,
  mastercard,
  "american-express": amex,
  "diners-club": diners,
  discover,
  jcb,
  unionpay,
  maestro,
  elo,
};

export function BrandLogos() {
  const form = useForm();
  const { availableBrands } = useStore().config;
  const detected = brandOf(form);
  const shown = brandsToShow(form.fields.cardNumber.text, availableBrands).map(({ name }) => name);
  // The configured ones stay in their place and dim, so that nothing jumps; another brand takes their place, and the
  // place of many.
  const isConfigured = detected !== null && availableBrands.includes(detected.name);
  const names = isConfigured && availableBrands.length <= LOGOS_MAX ? availableBrands : shown;
  return (
    <span className="brand-logos" aria-hidden="true">
      {names.map((name) => (
        <Logo
          key={name}
          image={IMAGES[name] ?? generic}
          dimmed={detected !== null && detected.name !== name}
        />
      ))}
      {names.length === 0 && <Logo image={generic} dimmed={false} />}
    </span>
  );
}

/** The logo of a saved card's brand; null is a brand that is not known. */
export function BrandLogo({ name }: { readonly name: BrandName | null }) {
  return <Logo image={(name && IMAGES[name]) ?? generic} dimmed={false} />;
}

function Logo({ image, dimmed }: { readonly image: string; readonly dimmed: boolean }) {
  return (
    <img
      className="brand-logo"
      data-dimmed={dimmed}
      src={image}
      width={34}
      height={22}
      alt=""
      draggable={false}
      // The document, the style and the script come first.
      fetchPriority="low"
    />
  );
}
