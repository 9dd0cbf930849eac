// A part of the dashboard with a heading.

import { type ReactNode, useId } from "react";

interface PanelProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

export function Panel({ title, hint, children }: PanelProps) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="panel-head">
        <h2 id={id}>{title}</h2>
        {hint !== undefined && <p className="soft small">{hint}</p>}
      </div>
      {children}
    </section>
  );
}
