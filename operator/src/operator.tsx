// Asks for the operator's key when none is stored, and then shows the part of the desk that the address names.

import { useCallback, useEffect, useState } from "react";
import type { OperatorView } from "../../form/generated/wire.ts";
import { AuditLog } from "./desk/audit-log.tsx";
import { ChargePage } from "./desk/charge-page.tsx";
import { ChargesPage } from "./desk/charges-page.tsx";
import type { DeskProps } from "./desk/desk-props.ts";
import { ErrorBanner } from "./error-banner.tsx";
import { KeyForm } from "./key-form.tsx";
import { Dashboard } from "./report/dashboard.tsx";
import { useRoute } from "./route.ts";
import { callJson, type ServiceError } from "./service.ts";
import { storedKey, storeKey } from "./stored-key.ts";
import { TopBar } from "./top-bar.tsx";

export function Operator() {
  const [key, setKey] = useState(storedKey);
  const [person, setPerson] = useState<OperatorView | null>(null);
  const [isRefused, setRefused] = useState(false);
  const [hasAsked, setAsked] = useState(false);

  const forget = useCallback((refused: boolean) => {
    storeKey(null);
    setPerson(null);
    setRefused(refused);
    setKey(null);
  }, []);

  if (key === null) {
    return (
      <KeyForm
        isRefused={isRefused}
        onKey={(given, whose) => {
          storeKey(given);
          setAsked(true);
          setPerson(whose);
          setKey(given);
        }}
      />
    );
  }
  if (person === null) {
    return <Unlocking operatorKey={key} onPerson={setPerson} onKeyRefused={() => forget(true)} />;
  }
  return (
    <Desk
      operatorKey={key}
      person={person}
      takesFocus={hasAsked}
      onKeyRefused={() => forget(true)}
      onLock={() => forget(false)}
    />
  );
}

interface UnlockingProps {
  readonly operatorKey: string;
  readonly onPerson: (person: OperatorView) => void;
  readonly onKeyRefused: () => void;
}

/** Asks whose key it is that the tab has kept. */
function Unlocking({ operatorKey, onPerson, onKeyRefused }: UnlockingProps) {
  const [error, setError] = useState<ServiceError | null>(null);
  const ask = useCallback(() => {
    setError(null);
    callJson<OperatorView>(operatorKey, "me").then((answer) => {
      if (answer.error === null) {
        onPerson(answer.value);
      } else {
        setError(answer.error);
      }
    });
  }, [operatorKey, onPerson]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stored key is asked for once
  useEffect(ask, []);
  return (
    <main className="dashboard">
      {error === null && (
        <p className="visually-hidden" role="status">
          Opening the desk
        </p>
      )}
      <ErrorBanner error={error} onRetry={ask} onKeyRefused={onKeyRefused} />
    </main>
  );
}

interface WholeDeskProps extends DeskProps {
  /** The form of the key has gone, and with it the button that had the focus. */
  readonly takesFocus: boolean;
  /** The operator locks the page. */
  readonly onLock: () => void;
}

function Desk({ takesFocus, onLock, ...desk }: WholeDeskProps) {
  const route = useRoute();
  const { person } = desk;
  const isOfAll = person.merchants === null;
  return (
    <>
      <TopBar person={person} route={route} takesFocus={takesFocus} onLock={onLock} />
      {route.page === "charges" && <ChargesPage {...desk} query={route.query} />}
      {route.page === "charge" && <ChargePage key={route.id} {...desk} id={route.id} />}
      {route.page === "report" && (isOfAll ? <Dashboard {...desk} /> : <NotForThisKey />)}
      {route.page === "audit" &&
        (isOfAll && person.role === "admin" ? <AuditLog {...desk} /> : <NotForThisKey />)}
    </>
  );
}

function NotForThisKey() {
  return (
    <main className="dashboard">
      <section className="panel nothing">
        <h2>Not for this key</h2>
        <p className="soft">Your key does not open this part of the desk.</p>
      </section>
    </main>
  );
}
