// `customStyle` as JSON, to edit and to copy, with what the server says of it.

import { useState } from "react";
import { Copy } from "./output.tsx";
import { jsonOf, type Mode, type Theme, themeOf } from "./theme.ts";
import { ownRepairs, type ThemeCheck } from "./theme-report.ts";

interface StyleJsonProps {
  readonly theme: Theme;
  readonly mode: Mode;
  readonly report: ThemeCheck | null;
  readonly onChange: (theme: Theme) => void;
}

export function StyleJson({ theme, mode, report, onChange }: StyleJsonProps) {
  /** What is typed and is not a theme, yet. */
  const [draft, setDraft] = useState<string | null>(null);
  const change = (text: string) => {
    const written = themeOf(text);
    setDraft(written && jsonOf(written) === text ? null : text);
    if (written) {
      onChange(written);
    }
  };
  const isWrong = draft !== null && themeOf(draft) === null;
  return (
    <section className="panel" aria-labelledby="style-title">
      <div className="code-head">
        <h2 id="style-title">customStyle, {mode}</h2>
        <Copy label="Copy" name="Copy customStyle" text={() => jsonOf(theme)} />
      </div>
      <textarea
        id="code-json"
        aria-labelledby="style-title"
        aria-describedby="style-report"
        aria-invalid={isWrong}
        rows={24}
        spellCheck={false}
        value={draft ?? jsonOf(theme)}
        onChange={({ target }) => change(target.value)}
        onBlur={() => setDraft(null)}
      />
      <div className="hint" id="style-report" role="status">
        {isWrong ? (
          <p>This is not the JSON of an object.</p>
        ) : (
          report && <Report dropped={report.dropped} repaired={ownRepairs(theme, report)} />
        )}
      </div>
    </section>
  );
}

function Report({ dropped, repaired }: Pick<ThemeCheck, "dropped" | "repaired">) {
  if (dropped.length + repaired.length === 0) {
    return <p>Every color passes WCAG AA.</p>;
  }
  return (
    <ul>
      {dropped.map((key) => (
        <li key={key}>{key} has no usable value and is ignored.</li>
      ))}
      {repaired.map(({ key, from, to }) => (
        <li key={key}>
          {key}: {from} contrasts too little and is shown as {to}.
        </li>
      ))}
    </ul>
  );
}
