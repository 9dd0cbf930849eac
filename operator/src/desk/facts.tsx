// A panel with names and values. Values that are absent are left out, and so is a panel without values.

import { type ReactNode, useId } from "react";

type Fact = readonly [name: string, value: ReactNode, kind?: "code"];

interface FactsProps {
  readonly title: string;
  readonly facts: readonly Fact[];
}

export function Facts({ title, facts }: FactsProps) {
  const id = useId();
  const known = facts.filter(([, value]) => value !== null && value !== "");
  if (known.length === 0) {
    return null;
  }
  return (
    <section className="panel" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <dl className="facts">
        {known.map(([name, value, kind]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={kind}>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
