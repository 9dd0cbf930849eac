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
import { useForm } from "./store.ts";

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

/** Shown before four digits are there ("§5"). */
const AVAILABLE: readonly BrandName[] = ["visa", "mastercard"];

export function BrandLogos() {
  const form = useForm();
  const detected = brandOf(form);
  const shown = brandsToShow(form.fields.cardNumber.text, AVAILABLE).map(({ name }) => name);
  // The configured ones stay in their place and dim, so that nothing jumps; another brand takes their place.
  const names = detected !== null && AVAILABLE.includes(detected.name) ? AVAILABLE : shown;
  return (
    <span className="brand-logos" aria-hidden="true">
      {names.map((name) => (
        <img
          key={name}
          className="brand-logo"
          data-dimmed={detected !== null && detected.name !== name}
          src={IMAGES[name] ?? generic}
          width={34}
          height={22}
          alt=""
          draggable={false}
          fetchPriority="low"
        />
      ))}
    </span>
  );
}
