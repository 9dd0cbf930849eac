// The audit log, for admins: what operators, commands and the service did, the newest first.

import type { AuditEntry } from "../../../form/generated/wire.ts";
import { ErrorBanner } from "../error-banner.tsx";
import { words } from "../names.ts";
import { chargeHash } from "../route.ts";
import { formatMoment } from "../times.ts";
import { amountText } from "./amounts.ts";
import type { DeskProps } from "./desk-props.ts";
import { ShowMore, usePages } from "./pages.tsx";

export function AuditLog({ operatorKey, onKeyRefused }: DeskProps) {
  const pages = usePages<AuditEntry>(operatorKey, "audit", "", "before");
  return (
    <main className="dashboard" aria-busy={pages.isLoading}>
      <ErrorBanner error={pages.error} onRetry={pages.readMore} onKeyRefused={onKeyRefused} />
      <section className="panel found" aria-labelledby="audit">
        <div className="found-head">
          <h2 id="audit">Audit log</h2>
          <p className="soft small">Lines are never changed or removed</p>
        </div>
        <ol className="audit">
          {pages.list.items.map((line) => (
            <AuditLine key={line.id} line={line} />
          ))}
        </ol>
        <ShowMore {...pages} />
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
