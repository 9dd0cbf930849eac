// `customStyle` as JSON, to edit and to copy, with the server's report on it.

import { useState } from "react";
import { Copy } from "../copy.tsx";
import { jsonOf, type Mode, type Theme, themeOf } from "./theme.ts";
import type { ThemeCheck } from "./theme-report.ts";

interface StyleJsonProps {
  readonly theme: Theme;
  readonly mode: Mode;
  readonly report: ThemeCheck | null;
  readonly onChange: (theme: Theme) => void;
}

export function StyleJson({ theme, mode, report, onChange }: StyleJsonProps) {
  /** Typed text that is not a theme yet, or is formatted in another way. */
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
        {isWrong ? <p>This is not the JSON of an object.</p> : report && <Report {...report} />}
      </div>
    </section>
  );
}

function Report({ dropped, notes, repaired }: ThemeCheck) {
  if (dropped.length + notes.length + repaired.length === 0) {
    return <p>Every color passes WCAG AA.</p>;
  }
  return (
    <ul>
      {dropped.map((key) => (
        <li key={key}>{key} has no usable value and is ignored.</li>
      ))}
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
      {repaired.map(({ key, from, to }) => (
        <li key={key}>
          {key}: {from} contrasts too little and is shown as {to}.
        </li>
      ))}
    </ul>
  );
}
