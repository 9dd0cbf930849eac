// The audit log, for admins: what operators, commands and the service did, the newest first.

import { useEffect, useState } from "react";
import type { AuditEntry, AuditPage } from "../../../form/generated/wire.ts";
import { chargeHash } from "../route.ts";
import { callJson, errorText, type ServiceError } from "../service.ts";
import { formatMoment } from "../times.ts";
import { amountText } from "./amounts.ts";
import type { DeskProps } from "./desk-props.ts";
import { words } from "./words.ts";

export function AuditLog({ operatorKey, onKeyRefused }: DeskProps) {
  const [page, setPage] = useState<AuditPage>({ items: [], next: null });
  const [error, setError] = useState<ServiceError | null>(null);
  const [isLoading, setLoading] = useState(true);

  const read = async (before: AuditPage) => {
    setLoading(true);
    const after = before.next === null ? "" : `?before=${encodeURIComponent(before.next)}`;
    const answer = await callJson<AuditPage>(operatorKey, `audit${after}`);
    setLoading(false);
    setError(answer.error);
    if (answer.error === null) {
      setPage({ items: [...before.items, ...answer.value.items], next: answer.value.next });
    } else if (answer.error.kind === "wrong-key") {
      onKeyRefused();
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first page is fetched once
  useEffect(() => {
    read({ items: [], next: null });
  }, []);

  return (
    <main className="dashboard" aria-busy={isLoading}>
      {error !== null && (
        <div className="banner" role="alert">
          <p>
            <strong>{errorText(error)}</strong>
          </p>
          <button type="button" onClick={() => read(page)}>
            Try again
          </button>
        </div>
      )}
      <section className="panel found" aria-labelledby="audit">
        <div className="found-head">
          <h2 id="audit">Audit log</h2>
          <p className="soft small">Lines are never changed or removed</p>
        </div>
        <ol className="audit">
          {page.items.map((line) => (
            <AuditLine key={line.id} line={line} />
          ))}
        </ol>
        {page.next !== null && (
          <p className="found-more">
            <button type="button" onClick={() => read(page)} disabled={isLoading}>
              {isLoading ? "Looking…" : "Show more"}
            </button>
          </p>
        )}
      </section>
    </main>
  );
}

function AuditLine({ line }: { readonly line: AuditEntry }) {
  const { reason, amount_value, amount_currency } = line.detail;
  return (
    <li>
      <p>
        <strong>{words(line.action)}</strong> by {line.actor.replace(/^operator (?=.)/, "")}
      </p>
      <p className="small soft">
        <time dateTime={line.at}>{formatMoment(line.at)}</time>
        {" · "}
        {line.subject.startsWith("ch_") ? (
          <a href={chargeHash(line.subject)}>{line.subject}</a>
        ) : (
          <span className="code">{line.subject}</span>
        )}
        {typeof amount_value === "string" && ` · ${amountText(amount_value, String(amount_currency))}`}
        {typeof reason === "string" && ` · ${reason}`}
      </p>
    </li>
  );
}
