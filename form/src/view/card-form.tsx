// The new-card form: one real form element, so that browsers and password managers fill it in one go.

import type { ReactNode } from "react";

import { isReady } from "../card/form.ts";
import { Announcer } from "./announcer.tsx";
import { CardFields } from "./card-fields.tsx";
import { useForm, useStore } from "./store.ts";
import { useText } from "./text.ts";

export interface CardFormProps {
  /** What Enter and the pay button do. */
  readonly onPay: () => void;
  /** How deep the form's title stands: in the frame it is the document's first. */
  readonly heading: "h1" | "h2";
  /** Below the fields: the standalone page's pay button. */
  readonly children?: ReactNode;
}

export function CardForm({ onPay, heading: Heading, children }: CardFormProps) {
  const text = useText();
  const store = useStore();
  const form = useForm();
  return (
    // Sent before hydration, a form of method "dialog" goes nowhere: no card number ever lands in an address.
    <form
      className="card-form"
      method="dialog"
      noValidate
      aria-labelledby="card-form-title"
      aria-busy={form.submission.phase === "charging"}
      data-ready={isReady(store.config, form)}
      onSubmit={(event) => {
        event.preventDefault();
        onPay();
      }}
    >
      <Heading className="card-form-title" id="card-form-title">
        {text("pay_with_card")}
      </Heading>
      <CardFields />
      {children}
      <Announcer />
      {/* A form with several inputs is sent by Enter only when it has a button to send it. */}
      {children === undefined && (
        <button className="visually-hidden" type="submit" tabIndex={-1} aria-hidden="true" />
      )}
    </form>
  );
}
