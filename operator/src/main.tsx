// The operator's page: where shoppers give up, how charges ended, and what waits.

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
