// A log: one line for each message or call, which opens to show its content.

export interface LogEntry {
  readonly key: number;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** The direction as an arrow, and in words for screen readers. */
  readonly arrow: string;
  readonly way: string;
  readonly name: string;
  /** Shown beside the name: a status, a duration. */
  readonly note: string;
  readonly failed?: boolean;
  readonly content: unknown;
}

interface LogListProps {
  readonly id: string;
  readonly title: string;
  /** The text of an empty log: what the log is about. */
  readonly empty: string;
  /** The oldest first. */
  readonly entries: readonly LogEntry[];
}

/** The newest entry is at the top, so that it is visible without scrolling. */
export function LogList({ id, title, empty, entries }: LogListProps) {
  return (
    <section className="log" id={id} aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{title}</h3>
      {entries.length === 0 && <p className="log-empty">{empty}</p>}
      {/* Messages of programs are read from the left in every language. */}
      <ol dir="ltr" reversed>
        {entries.toReversed().map((entry) => (
          <li key={entry.key} data-name={entry.name} data-way={entry.way}>
            <details>
              <summary>
                <time dateTime={new Date(entry.at).toISOString()}>{timeOf(entry.at)}</time>
                <span className="log-arrow" aria-hidden="true">
                  {entry.arrow}
                </span>
                <span className="visually-hidden">{entry.way}</span>
                <span className="log-name">{entry.name}</span>
                <span className="log-note" data-failed={entry.failed ?? false}>
                  {entry.note}
                </span>
              </summary>
              {/* Long lines scroll, also by keyboard. */}
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as above. */}
              <pre dir="ltr" tabIndex={0}>
                {JSON.stringify(entry.content, null, 2)}
              </pre>
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString("en-GB");
}
