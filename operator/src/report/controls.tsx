// The controls of the report: the time range, the locale, and the button Refresh.

import { LOCALES } from "../../../form/generated/locales.ts";
import { RANGES, type TimeRange } from "../times.ts";

interface ControlsProps {
  readonly range: TimeRange;
  /** "" for all locales. */
  readonly locale: string;
  readonly isLoading: boolean;
  readonly onRange: (range: TimeRange) => void;
  readonly onLocale: (locale: string) => void;
  readonly onRefresh: () => void;
}

export function Controls({ range, locale, isLoading, onRange, onLocale, onRefresh }: ControlsProps) {
  return (
    <div className="toolbar">
      <fieldset className="ranges">
        <legend className="visually-hidden">Range of time</legend>
        {RANGES.map((choice) => (
          <label key={choice.ms}>
            <input
              type="radio"
              name="range"
              value={choice.ms}
              checked={choice.ms === range.ms}
              onChange={() => onRange(choice)}
            />
            <span>{choice.name}</span>
          </label>
        ))}
      </fieldset>
      <label className="locale">
        <span className="visually-hidden">Locale</span>
        <select value={locale} onChange={(event) => onLocale(event.currentTarget.value)}>
          <option value="">All locales</option>
          {LOCALES.map(({ code }) => (
            <option key={code} value={code}>
              {code}
            </option>
          ))}
        </select>
      </label>
      <button type="button" className="toolbar-end" onClick={onRefresh} data-loading={isLoading}>
        <RefreshIcon />
        Refresh
      </button>
    </div>
  );
}

function RefreshIcon() {
  return (
    <svg className="sign" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path
        d="M13.5 8a5.5 5.5 0 1 1-1.6-3.9M13.5 1.8v3h-3"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
      />
    </svg>
  );
}
