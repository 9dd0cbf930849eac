// Asks for the operator's key when none is stored, and then shows the dashboard.

import { useState } from "react";
import { Dashboard } from "./dashboard.tsx";
import { KeyForm } from "./key-form.tsx";
import { storedKey, storeKey } from "./stored-key.ts";

export function Operator() {
  const [key, setKey] = useState(storedKey);
  const [isRefused, setRefused] = useState(false);

  if (key === null) {
    return (
      <KeyForm
        isRefused={isRefused}
        onKey={(given) => {
          storeKey(given);
          setKey(given);
        }}
      />
    );
  }
  const forget = (refused: boolean) => {
    storeKey(null);
    setRefused(refused);
    setKey(null);
  };
  return <Dashboard operatorKey={key} onKeyRefused={() => forget(true)} onLock={() => forget(false)} />;
}
