// A form for tests: a test sends events and reads the state and the effects.

import {
  type Effect,
  type FormConfig,
  type FormEvent,
  type FormField,
  type FormState,
  initialForm,
  isReady,
  type ListedCard,
  next,
} from "../src/card/form.ts";

/** The current month in the tests. */
export const TODAY = { year: 2026, month: 11 };

/** The three fields of a new card, every experiment on, no saved cards. */
export const CONFIG: FormConfig = {
  fields: ["cardNumber", "expiry", "security"],
  experiments: { luhn: true, securityCodeLength: true, expiryLimit: true },
  country: "US",
  prefill: {},
  readOnlyEmail: false,
  hidesTitle: false,
  redesign: true,
  floatingLabels: false,
  offersSavedCards: false,
  savedCardsCount: null,
  isSetup: false,
  offersSaving: false,
  saveCardText: "save_card",
  saysRemoved: true,
  availableBrands: ["visa", "mastercard"],
  preferredNetworks: [],
};

/** A saved card in the last month before it expires. */
export function savedCard(id: string, change: Partial<ListedCard> = {}): ListedCard {
  return { id, lastFour: "4242", brand: "visa", expirationMonth: 11, expirationYear: 2026, ...change };
}

/** A form that a test can type into; it keeps every effect. */
export function driveForm(config: FormConfig = CONFIG) {
  let state: FormState = initialForm(config, TODAY);
  const effects: Effect[] = [];
  const form = {
    state: () => state,
    send: (event: FormEvent) => {
      const step = next(config, state, event, TODAY);
      state = step.state;
      effects.push(...step.effects);
      return form;
    },
    type: (name: FormField, text: string, atEnd = true) =>
      form.send({ type: "field", name, event: { type: "typed", text }, atEnd }),
    fill: () =>
      form.type("cardNumber", "4242 4242 4242 4242").type("expiry", "12 / 34").type("security", "123"),
    ready: () => isReady(config, state),
    /** The effects since the last call. */
    effects: () => effects.splice(0),
    posted: (type: string) =>
      effects
        .splice(0)
        .flatMap((effect) =>
          effect.type === "post" && effect.message.type === type ? [effect.message] : [],
        ),
    remove: (id: string) => form.send({ type: "removal-asked", id }).send({ type: "removal-confirmed" }),
    texts: () => Object.values(state.fields).map(({ text }) => text),
    ids: () => state.saved.cards.map(({ id }) => id),
  };
  return form;
}
