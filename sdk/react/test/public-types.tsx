// Uses that the component's types must accept or refuse. The compiler checks them; they are never run.

import { createRef } from "react";
import { CardForm, type CardFormHandle } from "../src/index.tsx";

const ref = createRef<CardFormHandle>();
const charge = { url: "https://pay.example", payload: "p", clientSecret: async () => "s" };

export const accepted = (
  <CardForm
    ref={ref}
    id="card-form"
    {...charge}
    locale="fr-FR"
    onReadyChange={({ ready }) => ready satisfies boolean}
    onLoad={() => {}}
  />
);

// @ts-expect-error the client secret is required.
export const withoutSecret = <CardForm url="https://pay.example" payload="p" />;

// @ts-expect-error an event's details are typed.
export const wrongListener = <CardForm {...charge} onResize={({ width }) => width} />;

// @ts-expect-error the form's page is where Cardform is, not the merchant's to give.
export const asFrame = <CardForm {...charge} src="https://pay.example" />;
