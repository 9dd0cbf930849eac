// The bar at the top: the parts of the desk, the person, and the button Lock.

import { useEffect, useRef } from "react";
import type { OperatorView } from "../../form/generated/wire.ts";
import type { Route } from "./route.ts";

interface TopBarProps {
  readonly person: OperatorView;
  readonly route: Route;
  readonly takesFocus: boolean;
  readonly onLock: () => void;
}

export function TopBar({ person, route, takesFocus, onLock }: TopBarProps) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) {
      title.current?.focus();
    }
  }, [takesFocus]);
  const isOfAll = person.merchants === null;
  const parts = [
    { page: "charges", name: "Charges", isShown: true },
    { page: "report", name: "Report", isShown: isOfAll },
    { page: "audit", name: "Audit log", isShown: isOfAll && person.role === "admin" },
  ] as const;
  const current = route.page === "charge" ? "charges" : route.page;
  return (
    <header className="bar">
      <h1 ref={title} tabIndex={-1}>
        <span className="mark" aria-hidden="true" />
        Cardform
      </h1>
      <nav className="parts" aria-label="Parts of the desk">
        {parts
          .filter(({ isShown }) => isShown)
          .map(({ page, name }) => (
            <a key={page} href={`#${page}`} aria-current={page === current ? "page" : undefined}>
              {name}
            </a>
          ))}
      </nav>
      <div className="bar-end">
        <p className="person small">
          <strong>{person.name}</strong>
          <span className="soft">{person.role}</span>
        </p>
        <button type="button" onClick={onLock}>
          Lock
        </button>
      </div>
    </header>
  );
}
