// Asks for the key once, and then shows the figures.

import { useState } from "react";
import { Dashboard } from "./dashboard.tsx";
import { keepKey, keptKey } from "./kept-key.ts";
import { KeyForm } from "./key-form.tsx";

export function Operator() {
  const [key, setKey] = useState(keptKey);
  const [isRefused, setRefused] = useState(false);

  if (key === null) {
    return (
      <KeyForm
        isRefused={isRefused}
        onKey={(given) => {
          keepKey(given);
          setKey(given);
        }}
      />
    );
  }
  const forget = (refused: boolean) => {
    keepKey(null);
    setRefused(refused);
    setKey(null);
  };
  return <Dashboard operatorKey={key} onRefused={() => forget(true)} onLeave={() => forget(false)} />;
}
