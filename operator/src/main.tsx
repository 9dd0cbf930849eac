// Starts the operator's page: where shoppers give up, what became of charges, and what waits.

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Operator } from "./operator.tsx";

const root = document.getElementById("operator");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Operator />
    </StrictMode>,
  );
}
