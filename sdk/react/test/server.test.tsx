// On the server the component is an empty place for the frame: it touches no window and no document.

import { createElement, createRef } from "react";
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { CardList } from "../src/cards.tsx";
import { CardForm, type CardFormHandle } from "../src/index.tsx";

it("renders the frame's place, and nothing of the charge", () => {
  const ref = createRef<CardFormHandle>();
  const clientSecret = vi.fn(() => "secret");
  const html = renderToString(
    createElement(CardForm, {
      ref,
      id: "card-form",
      className: "card",
      url: "https://pay.example",
      payload: "p",
      clientSecret,
    }),
  );
  expect(html).toBe('<div id="card-form" class="card"></div>');
  expect(clientSecret).not.toHaveBeenCalled();
});

it("renders the card page's place, and nothing of the session", () => {
  const session = { url: "https://pay.example", payload: "p", clientSecret: "secret" };
  const html = renderToString(createElement(CardList, { ...session, id: "cards" }));
  expect(html).toBe('<div id="cards"></div>');
});
