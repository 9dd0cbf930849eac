// The theme playground: try a theme on the real form, and copy it.

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Playground } from "./playground.tsx";

const root = document.getElementById("playground");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Playground />
    </StrictMode>,
  );
}
