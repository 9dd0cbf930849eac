// The demo shop: the page of a merchant who uses Cardform.

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { noteMessages } from "./drawer/message-log.ts";
import { Shop } from "./shop.tsx";

noteMessages();
const root = document.getElementById("shop");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Shop />
    </StrictMode>,
  );
}
