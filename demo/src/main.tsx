// The demo shop: the page of a merchant who uses Cardform.

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
