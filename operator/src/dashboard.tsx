// The figures: the controls at the top, then the parts, each in its own panel.

import { useEffect, useState } from "react";
import type { Report } from "../../form/generated/wire.ts";
import { Breakdown } from "./breakdown.tsx";
import { ChargesPanel } from "./charges-panel.tsx";
import { Controls } from "./controls.tsx";
import { Experiments } from "./experiments.tsx";
import { type Trouble, troubleText } from "./fetch-report.ts";
import { FunnelPanel } from "./funnel-panel.tsx";
import { GaveUp } from "./gave-up.tsx";
import { Headline } from "./headline.tsx";
import { MoneyPanel } from "./money-panel.tsx";
import { clockTime, HOUR } from "./times.ts";
import { useReport } from "./use-report.ts";
import { brandName, methodName } from "./words.ts";

interface DashboardProps {
  readonly operatorKey: string;
  /** The key is no longer valid. */
  readonly onRefused: () => void;
  /** The operator locks the page. */
  readonly onLeave: () => void;
}

export function Dashboard({ operatorKey, onRefused, onLeave }: DashboardProps) {
  const [range, setRange] = useState(HOUR);
  const [locale, setLocale] = useState("");
  const { report, trouble, isLoading, refresh } = useReport(operatorKey, { rangeMs: range.ms, locale });
  const isRefused = trouble?.kind === "wrong-key";

  useEffect(() => {
    if (isRefused) {
      onRefused();
    }
  }, [isRefused, onRefused]);

  return (
    <>
      <Controls
        range={range}
        locale={locale}
        isLoading={isLoading}
        onRange={setRange}
        onLocale={setLocale}
        onRefresh={refresh}
        onLeave={onLeave}
      />
      <main className="dashboard" aria-busy={isLoading}>
        {trouble !== null && !isRefused && (
          <TroubleBanner trouble={trouble} report={report} onRetry={refresh} />
        )}
        {report === null ? trouble === null && <Skeleton /> : <Figures report={report} locale={locale} />}
      </main>
    </>
  );
}

function Figures({ report, locale }: { readonly report: Report; readonly locale: string }) {
  const { visits, charges } = report;
  const hasCharges = Object.values(charges.total).some((number) => number > 0);
  if (visits.funnel.viewed === 0 && !hasCharges) {
    return (
      <>
        <Headline report={report} />
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
      <Headline report={report} />
      <div className="two-columns">
        <FunnelPanel funnel={visits.funnel} before={report.before.funnel} />
        <ChargesPanel charges={report.charges} />
      </div>
      <MoneyPanel now={charges.money} before={report.before.money} />
      <GaveUp visits={visits} />
      <div className="three-columns">
        <Breakdown title="By locale" column="Locale" rows={visits.locales} name={(code) => code} />
        <Breakdown title="By brand" column="Brand" rows={visits.brands} name={brandName} />
        <Breakdown title="By way to pay" column="Way" rows={visits.methods} name={methodName} />
      </div>
      <Experiments experiments={report.experiments} />
      <p className="soft small foot">
        Visits count from when they first came. Those still under way count as not paid yet. “Before” is the
        time of the same length that ended where the range begins. Figures of {clockTime(report.to)}; they
        refresh by themselves.
      </p>
    </>
  );
}

interface TroubleBannerProps {
  readonly trouble: Trouble;
  readonly report: Report | null;
  readonly onRetry: () => void;
}

function TroubleBanner({ trouble, report, onRetry }: TroubleBannerProps) {
  return (
    <div className="banner" role="alert">
      <p>
        <strong>{troubleText(trouble)}</strong>
        {report !== null && ` What is shown is from ${clockTime(report.to)}.`}
      </p>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

/** What the page looks like before the first figures, so that nothing jumps. */
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
