import { describe, expect, test } from "vitest";

import { CONFIG, driveForm, savedCard } from "../../test/driven-form.ts";
import type { BrandName } from "./brand.ts";
import { networkOf, networksOf, shownBrand } from "./card-networks.ts";
import type { FormConfig } from "./form.ts";

const NUMBER = "4000 0025 0000 1001";
const FOUND = {
  type: "networks-found",
  prefix: "40000025",
  ranges: [{ length: 16, networks: ["cb", "visa"] as BrandName[] }],
} as const;

const networks = (form: ReturnType<typeof driveForm>) => networksOf(form.state());
const chosen = (form: ReturnType<typeof driveForm>, config: FormConfig = CONFIG) =>
  networkOf(config, form.state());

describe("the networks of a number", () => {
  test("are a choice when the number has the range's length", () => {
    const form = driveForm().type("cardNumber", "4000 0025").send(FOUND);
    expect(networks(form)).toEqual([]);
    expect(networks(form.type("cardNumber", NUMBER))).toEqual(["cb", "visa"]);
    expect(networks(form.type("cardNumber", `${NUMBER}00`))).toEqual([]);
    expect(networks(form.type("cardNumber", "4242 4242 4242 4242"))).toEqual([]);
  });

  test("may be known after the number is complete", () => {
    const form = driveForm().type("cardNumber", NUMBER);
    expect([networks(form), chosen(form)]).toEqual([[], null]);
    expect(shownBrand(CONFIG, form.state())).toBe("visa");
    form.send(FOUND);
    expect([networks(form), chosen(form)]).toEqual([["cb", "visa"], "cb"]);
    expect(shownBrand(CONFIG, form.state())).toBe("cb");
  });

  test.each([
    [[], "cb"],
    [["mada"], "cb"],
    [["mada", "visa", "cb"], "visa"],
  ] as [BrandName[], BrandName][])("with the preferences %j preselect %s", (preferredNetworks, network) => {
    const form = driveForm().send(FOUND).type("cardNumber", NUMBER);
    expect(chosen(form, { ...CONFIG, preferredNetworks })).toBe(network);
  });

  test("keep the shopper's choice, which ends a failure's message", () => {
    const form = driveForm().fill().send(FOUND).type("cardNumber", NUMBER);
    form.send({ type: "submit", clientSecret: "secret" });
    form.send({ type: "network-chosen", network: "visa" });
    expect(chosen(form)).toBe("cb");
    form.send({
      type: "charge-answered",
      answer: { kind: "declined", declineCode: "insufficient_funds" },
    });
    expect(form.state().failure).not.toBeNull();
    form.send({ type: "network-chosen", network: "visa" });
    expect(form.state().failure).toBeNull();
    expect(chosen(form, { ...CONFIG, preferredNetworks: ["cb"] })).toBe("visa");
    form.type("cardNumber", "4000 0025").type("cardNumber", NUMBER);
    expect(chosen(form)).toBe("visa");
  });
});

describe("a saved card", () => {
  const CARDS = [
    savedCard("pm_1", { networks: ["cb", "visa"], network: "visa" }),
    savedCard("pm_2", { networks: ["dankort", "visa"], network: null }),
    savedCard("pm_3"),
  ];
  const list = () =>
    driveForm({ ...CONFIG, offersSavedCards: true }).send({ type: "saved-cards-answered", cards: CARDS });

  test("has the network that was chosen last, or the first", () => {
    const form = list();
    expect([networks(form), chosen(form)]).toEqual([["cb", "visa"], "visa"]);
    form.send({ type: "saved-card-selected", id: "pm_2" });
    expect(chosen(form)).toBe("dankort");
    form.send({ type: "saved-card-selected", id: "pm_3" });
    expect([networks(form), chosen(form)]).toEqual([[], null]);
  });

  test("changes alone", () => {
    const form = list().send({ type: "network-chosen", network: "cb" });
    expect(form.state().saved.cards.map(({ network }) => network)).toEqual(["cb", null, undefined]);
    expect(form.state().network).toBeNull();
  });
});

test("after a refusal for its network the form pays without a choice", () => {
  const form = driveForm().fill().send(FOUND).type("cardNumber", NUMBER);
  form.send({ type: "submit", clientSecret: "secret" });
  form.send({
    type: "charge-answered",
    answer: { kind: "refused", code: "network_unavailable", field: "payment_method.card.network" },
  });
  expect(form.state().failure?.errorCode).toBe("request-refused");
  expect([networks(form), form.ready()]).toEqual([[], true]);
});
