// The fields of a new card in their order (docs/form.md#layout).

import { FIELD_IDS } from "../card/field.ts";
import { brandOf, isDisabled } from "../card/form.ts";
import { AcceptedBrands, BrandLogos } from "./brand-logos.tsx";
import { Field } from "./field.tsx";
import { useLateViews } from "./late.ts";
import { SecurityCode } from "./security-code.tsx";
import { useForm, useStore, useText } from "./store.ts";

/** The redesign's placeholder: four groups of four digits. */
const NUMBER_PLACEHOLDER = "0000 0000 0000 0000";

export function CardFields() {
  const text = useText();
  const store = useStore();
  const { fields, redesign } = store.config;
  const before = fields.slice(0, fields.indexOf("cardNumber"));
  const after = fields.slice(fields.indexOf("security") + 1);
  return (
    <>
      {before.map((name) => (
        <Field key={name} name={name} />
      ))}
      <CardNumber />
      <div className="field-row">
        <Field
          name="expiry"
          fullLabel="card_expiry_name"
          {...(redesign && { placeholder: text("card_expiry_placeholder") })}
        />
        <SecurityCode name="security" />
      </div>
      {after.map((name) => (
        <Field key={name} name={name} />
      ))}
    </>
  );
}

function CardNumber() {
  const { redesign } = useStore().config;
  const { ClearButton, NetworkLogos, NetworkNote } = useLateViews();
  const brand = useForm((form) => brandOf(form)?.name ?? "");
  const isClearable = useForm((form) => redesign && form.fields.cardNumber.text !== "" && !isDisabled(form));
  return (
    <Field
      name="cardNumber"
      {...(redesign && { placeholder: NUMBER_PLACEHOLDER })}
      aside={<AcceptedBrands />}
      adornment={
        <>
          {isClearable && ClearButton && <ClearButton inputId={FIELD_IDS.cardNumber} />}
          {NetworkLogos ? <NetworkLogos id={FIELD_IDS.cardNumber} /> : <BrandLogos />}
        </>
      }
      data={{ "data-brand": brand }}
      note={NetworkNote && <NetworkNote />}
    />
  );
}
