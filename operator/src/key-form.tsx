// Asks for the operator's key. A key is stored only after it has fetched a report, which is then the first one shown.

import { type FormEvent, useState } from "react";
import type { Report } from "../../form/generated/wire.ts";
import { FIRST_QUERY, fetchReport, type ReportError, reportErrorText } from "./fetch-report.ts";

interface KeyFormProps {
  /** True when the stored key was refused. */
  readonly isRefused: boolean;
  /** The key is right. The report is the answer to the first query. */
  readonly onKey: (key: string, report: Report) => void;
}

export function KeyForm({ isRefused, onKey }: KeyFormProps) {
  const [error, setError] = useState<ReportError | null>(isRefused ? { kind: "wrong-key" } : null);
  const [isTrying, setTrying] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = new FormData(event.currentTarget).get("key");
    if (typeof key !== "string" || key.trim() === "") {
      return;
    }
    setTrying(true);
    const fetched = await fetchReport(key.trim(), FIRST_QUERY, new AbortController().signal);
    setTrying(false);
    setError(fetched.error);
    if (fetched.error === null) {
      onKey(key.trim(), fetched.report);
    }
  };

  return (
    <main className="gate">
      <form className="gate-form panel" onSubmit={submit}>
        <h1>Operator</h1>
        <p className="soft">Where shoppers give up, how charges ended, and what waits.</p>
        <label htmlFor="key">Operator’s key</label>
        <input
          id="key"
          name="key"
          type="password"
          autoComplete="current-password"
          spellCheck={false}
          required
          aria-describedby="key-trouble key-hint"
          aria-invalid={error?.kind === "wrong-key"}
        />
        <p id="key-trouble" className="gate-trouble" role="alert">
          {error === null ? "" : reportErrorText(error)}
        </p>
        <button type="submit" className="primary" disabled={isTrying}>
          {isTrying ? "Trying…" : "Show the figures"}
        </button>
        <p id="key-hint" className="soft small">
          The setting <code>operator_key_file</code> has it. It is kept until this tab is closed.
        </p>
      </form>
    </main>
  );
}
