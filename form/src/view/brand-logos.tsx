// The brands' logos at the card number: the possible brands, or the one that was detected.

import amex from "payment-icons/min/flat/amex.svg";
import diners from "payment-icons/min/flat/diners.svg";
import discover from "payment-icons/min/flat/discover.svg";
import elo from "payment-icons/min/flat/elo.svg";
import jcb from "payment-icons/min/flat/jcb.svg";
import maestro from "payment-icons/min/flat/maestro.svg";
import mastercard from "payment-icons/min/flat/mastercard.svg";
import unionpay from "payment-icons/min/flat/unionpay.svg";
import visa from "payment-icons/min/flat/visa.svg";
import { BRAND_LABELS, LIMITS } from "../../generated/rules.ts";
import { type BrandName, brandsToShow, detectBrand } from "../card/brand.ts";
import { onlyDigits } from "../card/characters.ts";
import { brandOf } from "../card/form.ts";
import bancontact from "./brands/bancontact.svg";
import cb from "./brands/cb.svg";
import dankort from "./brands/dankort.svg";
import generic from "./brands/default.svg";
import eftpos from "./brands/eftpos.svg";
import mada from "./brands/mada.svg";
import { useForm, useStore } from "./store.ts";

/** As many logos as fit beside a whole number. If there are more, they are above the input. */
const LOGOS_BESIDE_MAX = 2;

/** Brands without an image of their own show the generic card (docs/rules.md#brands). */
export const IMAGES: Readonly<Partial<Record<BrandName, string>>> = {
  visa,
  mastercard,
  "american-express": amex,
  "diners-club": diners,
  discover,
  jcb,
  unionpay,
  maestro,
  elo,
  mada,
  cb,
  bancontact,
  dankort,
  eftpos,
};

/** All brands that the merchant accepts, if there are too many for the input. */
export function AcceptedBrands() {
  const detected = useForm((form) => brandOf(form)?.name ?? null);
  const { availableBrands } = useStore().config;
  if (availableBrands.length <= LOGOS_BESIDE_MAX) {
    return null;
  }
  return <Logos names={availableBrands} detected={detected} />;
}

/** The logos in the input: the possible brands, or the one that was detected. */
export function BrandLogos() {
  // The digits after these change nothing here.
  const prefix = useForm(({ fields }) =>
    onlyDigits(fields.cardNumber.text).slice(0, LIMITS.brandPrefixLength),
  );
  const { availableBrands } = useStore().config;
  const detected = detectBrand(prefix);
  const beside = availableBrands.length <= LOGOS_BESIDE_MAX ? availableBrands : [];
  const shown = brandsToShow(prefix, beside).map(({ name }) => name);
  // Configured brands stay and are dimmed, so that nothing moves. Another detected brand replaces them.
  const isConfigured = detected !== null && beside.includes(detected.name);
  if (beside.length === 0 && prefix.length < LIMITS.brandPrefixLength) {
    return null;
  }
  return <Logos names={isConfigured ? beside : shown} detected={detected?.name ?? null} />;
}

function Logos({
  names,
  detected,
}: {
  readonly names: readonly BrandName[];
  readonly detected: BrandName | null;
}) {
  return (
    <span
      className="brand-logos"
      role="img"
      aria-label={names.map((name) => BRAND_LABELS[name]).join(", ")}
      aria-hidden={names.length === 0}
    >
      {names.map((name) => (
        <Logo key={name} image={IMAGES[name] ?? generic} dimmed={detected !== null && detected !== name} />
      ))}
      {names.length === 0 && <Logo image={generic} dimmed={false} />}
    </span>
  );
}

/** The logo of one brand; null if the brand is unknown. */
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
      // Document, style and script are more important.
      fetchPriority="low"
    />
  );
}
