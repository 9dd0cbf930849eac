// Starts the operator's page: where shoppers give up, the outcomes of charges, and the lengths of the queues.

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
