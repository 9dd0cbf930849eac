// The fields of a new card in the order of point 2.

import { LIMITS } from "../../generated/rules.ts";
import type { FieldName } from "../card/field.ts";
import { brandOf } from "../card/form.ts";
import { BrandLogos } from "./brand-logos.tsx";
import { Field } from "./field.tsx";
import { useForm, useStore } from "./store.ts";

/** The redesign's placeholder: four groups of four digits. */
const NUMBER_PLACEHOLDER = "0000 0000 0000 0000";
const EXPIRY_PLACEHOLDER = "MM / YY";

export function CardFields() {
  const store = useStore();
  const { fields } = store.config;
  const before = fields.slice(0, fields.indexOf("cardNumber"));
  const after = fields.slice(fields.indexOf("security") + 1);
  return (
    <>
      {before.map((name) => (
        <HolderField key={name} name={name} />
      ))}
      <CardNumber />
      <div className="field-row">
        <Field name="expiry" placeholder={EXPIRY_PLACEHOLDER} />
        <Field name="security" />
      </div>
      {after.map((name) => (
        <HolderField key={name} name={name} />
      ))}
    </>
  );
}

function CardNumber() {
  const brand = brandOf(useForm());
  return (
    <Field
      name="cardNumber"
      placeholder={NUMBER_PLACEHOLDER}
      adornment={<BrandLogos />}
      data={{ "data-brand": brand?.name ?? "" }}
    />
  );
}

function HolderField({ name }: { readonly name: FieldName }) {
  return name === "cardHolderEmail" ? (
    <Field name={name} maxLength={LIMITS.holderEmailInputLengthMax} />
  ) : (
    <Field name={name} />
  );
}
