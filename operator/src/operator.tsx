// Asks for the operator's key when none is stored, and then shows the dashboard.

import { useState } from "react";
import type { Report } from "../../form/generated/wire.ts";
import { Dashboard } from "./dashboard.tsx";
import { KeyForm } from "./key-form.tsx";
import { storedKey, storeKey } from "./stored-key.ts";

export function Operator() {
  const [key, setKey] = useState(storedKey);
  const [firstReport, setFirstReport] = useState<Report | null>(null);
  const [isRefused, setRefused] = useState(false);

  if (key === null) {
    return (
      <KeyForm
        isRefused={isRefused}
        onKey={(given, report) => {
          storeKey(given);
          setFirstReport(report);
          setKey(given);
        }}
      />
    );
  }
  const forget = (refused: boolean) => {
    storeKey(null);
    setFirstReport(null);
    setRefused(refused);
    setKey(null);
  };
  return (
    <Dashboard
      operatorKey={key}
      firstReport={firstReport}
      onKeyRefused={() => forget(true)}
      onLock={() => forget(false)}
    />
  );
}
