// The demo shop: a page of a merchant who takes cards with Cardform.

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Shop } from "./shop.tsx";

const root = document.getElementById("shop");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Shop />
    </StrictMode>,
  );
}
