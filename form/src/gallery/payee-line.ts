// The line with the merchant's logo and name, as the server writes it above the payment page (`crates/page/src/html.rs`).
// `e2e/tests/gallery.test.ts` compares the two.

import type { Payee } from "../../generated/wire.ts";

export function payeeLine({ name, logo, website }: Payee): HTMLElement {
  const line = part("header", "payee");
  const inner = website === null ? line : line.appendChild(part("a", "payee-link"));
  if (inner instanceof HTMLAnchorElement && website !== null) {
    inner.href = website;
  }
  if (logo !== null) {
    const image = inner.appendChild(part("img", "payee-logo"));
    image.src = logo;
    image.alt = "";
    image.height = LOGO_HEIGHT;
  }
  inner.appendChild(part("bdi", "payee-name")).textContent = name;
  return line;
}

/** In pixels, as the server says. */
const LOGO_HEIGHT = 40;

function part<Name extends keyof HTMLElementTagNameMap>(name: Name, className: string) {
  const element = document.createElement(name);
  element.className = className;
  return element;
}
