// Asks for the operator's key. A key is stored only after the service has said whose it is.

import { type FormEvent, useState } from "react";
import type { OperatorView } from "../../form/generated/wire.ts";
import { callJson, errorText, type ServiceError } from "./service.ts";

interface KeyFormProps {
  /** True when the stored key was refused. */
  readonly isRefused: boolean;
  /** The key is right, and it is this person's. */
  readonly onKey: (key: string, person: OperatorView) => void;
}

export function KeyForm({ isRefused, onKey }: KeyFormProps) {
  const [error, setError] = useState<ServiceError | null>(isRefused ? { kind: "wrong-key" } : null);
  const [isTrying, setTrying] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = new FormData(event.currentTarget).get("key");
    if (typeof key !== "string" || key.trim() === "") {
      return;
    }
    setTrying(true);
    const answer = await callJson<OperatorView>(key.trim(), "me");
    setTrying(false);
    setError(answer.error);
    if (answer.error === null) {
      onKey(key.trim(), answer.value);
    }
  };

  return (
    <main className="gate">
      <form className="gate-form panel" onSubmit={submit}>
        <h1>Operator</h1>
        <p className="soft">Find a charge, see what happened to it, give money back, and read the report.</p>
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
          {error === null ? "" : errorText(error)}
        </p>
        <button type="submit" className="primary" disabled={isTrying}>
          {isTrying ? "Trying…" : "Open the desk"}
        </button>
        <p id="key-hint" className="soft small">
          The person who runs the service gives you one. It is kept until this tab is closed.
        </p>
      </form>
    </main>
  );
}
