// The report: its controls, and below them the figures in panels.

import { useCallback, useState } from "react";
import type { Report } from "../../../form/generated/wire.ts";
import type { DeskProps } from "../desk/desk-props.ts";
import { ErrorBanner } from "../error-banner.tsx";
import { brandName, methodName } from "../names.ts";
import { formatDuration, formatSecond, HOUR } from "../times.ts";
import { useAnswer } from "../use-answer.ts";
import { AbandonedVisits } from "./abandoned-visits.tsx";
import { Breakdown } from "./breakdown.tsx";
import { ChargesPanel } from "./charges-panel.tsx";
import { Controls } from "./controls.tsx";
import { Experiments } from "./experiments.tsx";
import { FunnelPanel } from "./funnel-panel.tsx";
import { KeyFigures } from "./key-figures.tsx";
import { MoneyPanel } from "./money-panel.tsx";

/** How long after an answer the report is read again. */
const REFRESH_MS = 15_000;

export function Dashboard({ operatorKey, onKeyRefused }: DeskProps) {
  const [range, setRange] = useState(HOUR);
  const [locale, setLocale] = useState("");
  const path = useCallback(() => {
    const to = Date.now();
    const query = { from: String(to - range.ms), to: String(to), ...(locale !== "" && { locale }) };
    return `report?${new URLSearchParams(query)}`;
  }, [range.ms, locale]);
  const { value: report, error, isLoading, refresh } = useAnswer<Report>(operatorKey, path, () => REFRESH_MS);
  return (
    <main className="dashboard" aria-busy={isLoading}>
      <Controls
        range={range}
        locale={locale}
        isLoading={isLoading}
        onRange={setRange}
        onLocale={setLocale}
        onRefresh={refresh}
      />
      <ErrorBanner error={error} onRetry={refresh} onKeyRefused={onKeyRefused}>
        {report !== null && ` What is shown is from ${formatSecond(report.to)}.`}
      </ErrorBanner>
      {report === null ? error === null && <Skeleton /> : <Figures report={report} locale={locale} />}
    </main>
  );
}

function Figures({ report, locale }: { readonly report: Report; readonly locale: string }) {
  const { visits, charges } = report;
  const reportTime = formatSecond(report.to);
  const hasCharges = Object.values(charges.total).some((number) => number > 0);
  if (visits.funnel.viewed === 0 && !hasCharges) {
    return (
      <>
        <KeyFigures report={report} />
        <section className="panel nothing">
          <h2>Nothing happened in this range</h2>
          <p className="soft">
            No page was opened and no charge was made{locale === "" ? "" : ` in ${locale}`}. A longer range
            may have something; new visits appear here within seconds.
          </p>
        </section>
      </>
    );
  }
  return (
    <>
      <KeyFigures report={report} />
      <div className="two-columns">
        <FunnelPanel funnel={visits.funnel} before={report.before.funnel} />
        <ChargesPanel charges={report.charges} />
      </div>
      <MoneyPanel now={charges.money} before={report.before.money} />
      <AbandonedVisits visits={visits} />
      <div className="three-columns">
        <Breakdown title="By locale" column="Locale" rows={visits.locales} name={(code) => code} />
        <Breakdown title="By brand" column="Brand" rows={visits.brands} name={brandName} />
        <Breakdown title="By way to pay" column="Way" rows={visits.methods} name={methodName} />
      </div>
      <Experiments experiments={report.experiments} />
      <p className="soft small foot">
        Visits count from when they first came. Those still under way count as not paid yet. “Before” is the
        time of the same length that ended where the range begins. Figures of {reportTime}
        {sourceText(report)}; they refresh by themselves.
      </p>
    </>
  );
}

/** Where the figures come from, if the service has a replica for them. */
function sourceText({ source }: Report): string {
  switch (source.database) {
    case "primary":
      return "";
    case "fallback":
      return ", from the database itself because the replica cannot be read";
    case "replica":
      return source.lag_ms === null
        ? ", from the replica"
        : `, from the replica, ${formatDuration(Math.max(0, source.lag_ms))} behind`;
  }
}

/** Empty panels until the first report arrives, so that the layout does not move then. */
function Skeleton() {
  return (
    <>
      <p className="visually-hidden" role="status">
        Fetching the figures
      </p>
      <div className="skeleton" aria-hidden="true">
        <div className="tiles">
          {["a", "b", "c", "d", "e", "f", "g"].map((tile) => (
            <div key={tile} className="panel ghost ghost-tile" />
          ))}
        </div>
        <div className="two-columns">
          <div className="panel ghost ghost-panel" />
          <div className="panel ghost ghost-panel" />
        </div>
      </div>
    </>
  );
}
