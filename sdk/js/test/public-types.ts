// Uses that the public types must accept or refuse. The compiler checks them; they are never run.

import { mountCards } from "../src/cards.ts";
import {
  type Cardform,
  type LoadFailureCode,
  type MountOptions,
  mount,
  type RefusalCode,
  type SubmitErrorCode,
  type SubmitResult,
} from "../src/index.ts";
import { mount as mountServed } from "../src/served.ts";
import { mountCards as mountCardsServed } from "../src/served-cards.ts";

const minimal: MountOptions = { url: "https://pay.example", payload: "p", clientSecret: "s" };

export function mounting(element: Element): void {
  mount("#card", minimal);
  mount(element, { ...minimal, clientSecret: async () => "s", options: { contrast: null } });
  mount(element, { ...minimal, options: { features: { "enable-ddc": true } } });
  mountServed("#card", { payload: "p", clientSecret: () => "s" });

  mount("#card", {
    ...minimal,
    onChallenge: async (challenge) => {
      const end = await challenge.mount(element);
      return end === "over" ? challenge.labels.close : challenge.cancel();
    },
  });
  mount("#card", { ...minimal, onChallenge: () => false });

  // @ts-expect-error a challenge is put into an element.
  mount("#card", { ...minimal, onChallenge: (challenge) => challenge.mount("#bank") });
  // @ts-expect-error the package does not know where Cardform is served.
  mount("#card", { payload: "p", clientSecret: "s" });
  // @ts-expect-error a client secret is text.
  mount("#card", { ...minimal, clientSecret: () => 7 });
  // @ts-expect-error there is no such option.
  mount("#card", { ...minimal, options: { showCardHolder: true } });
  // @ts-expect-error there is no such experiment.
  mount("#card", { ...minimal, options: { features: { "enable-everything": true } } });
  // @ts-expect-error there is no such part of the form.
  mount("#card", { ...minimal, customStyle: { children: { cardForm: { children: { cardName: {} } } } } });
}

export function listening(form: Cardform): void {
  form.on("load", () => {});
  form.on("ready-change", ({ ready }) => ready satisfies boolean);
  form.on("error", ({ code }) => code satisfies LoadFailureCode | SubmitErrorCode | RefusalCode);
  form.on("result", (result) => result.status)();

  // @ts-expect-error there is no such event.
  form.on("paid", () => {});
  // @ts-expect-error an event's details are typed.
  form.on("resize", ({ width }) => width);
  // @ts-expect-error readiness is the form's to say.
  form.ready = true;
}

export function acting(result: SubmitResult): string | undefined {
  // @ts-expect-error only a failure has a message.
  result.message;
  switch (result.status) {
    case "failed":
      return result.declineCode ?? result.errorCode ?? result.message;
    case "waiting_for_shopper_action":
      return result.shopperAction?.url;
    case "succeeded":
    case "not-ready":
    case "processing":
    case "outcome_unknown":
      return undefined;
    default:
      return result satisfies never;
  }
}

export function managingCards(element: Element): void {
  const session = { payload: "p", clientSecret: "s" };
  const cards = mountCards(element, { url: "https://pay.example", ...session, locale: "fr-FR" });
  cards.on("cards-changed", () => cards.unmount());
  cards.on("error", ({ code }) => code === "load-timeout");
  mountCardsServed("#cards", session);

  // @ts-expect-error the package does not know where Cardform is served.
  mountCards("#cards", session);
  // @ts-expect-error a session's secret is one text.
  mountCards("#cards", { url: "https://pay.example", payload: "p", clientSecret: () => "s" });
  // @ts-expect-error a card page pays nothing.
  cards.submit();
  // @ts-expect-error there is no such event.
  cards.on("result", () => {});
}
