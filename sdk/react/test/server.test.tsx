// On the server the component is an empty place for the frame: it touches no window and no document.

import { createElement, createRef } from "react";
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";
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
