// Uses that the component's types must accept or refuse. The compiler checks them; they are never run.

import { createRef } from "react";
import { CardList } from "../src/cards.tsx";
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

const session = { url: "https://pay.example", payload: "p", clientSecret: "s" };

export const cards = <CardList {...session} onCardsChanged={() => {}} onError={({ code }) => code} />;

// @ts-expect-error a session's secret is text.
export const cardsWithFunction = <CardList {...session} clientSecret={() => "s"} />;

// @ts-expect-error a card page has no result.
export const cardsWithResult = <CardList {...session} onResult={() => {}} />;
