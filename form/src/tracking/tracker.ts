// Makes events with visitor, place and session, in fixed words only (docs/tracking.md#events).

import { EVENT_NAME_CHARACTERS_MAX } from "../../generated/events.ts";
import type { Assignment, EventKind, EventMetadata, EventRecord } from "../../generated/wire.ts";
import { type Campaign, NO_CAMPAIGN } from "./campaign.ts";
import { type EventData, eventData } from "./event-data.ts";
import type { Visitor } from "./identity.ts";
import type { Session, SessionStep } from "./session.ts";

/** The form's own namespace. */
export const NAMESPACE = "pay";

/** The metadata of every event, except for the session. */
export type VisitMetadata = Omit<
  EventMetadata,
  "namespace" | "codaCookieId" | "sessionId" | "sessionNum" | "engagementMs" | keyof Campaign
>;

export interface TrackerEnvironment {
  readonly namespace: string;
  readonly visitor: Visitor;
  /** The shopper does not want to be tracked: identities, sessions and clicks are not reported. */
  readonly unknown: boolean;
  /** When the payment began, in milliseconds since 1970. */
  readonly start: number;
  readonly about: () => VisitMetadata;
  readonly engagementMs: (now: number) => number;
  readonly newId: () => string;
  readonly add: (record: EventRecord) => void;
  readonly log: (line: string) => void;
}

export type Tracker = ReturnType<typeof createTracker>;

type PageView = Extract<EventKind, { type: "page-view" }>;

export function createTracker(world: TrackerEnvironment) {
  const { namespace, visitor, newId, log } = world;
  const { identity } = visitor;
  const visit = newId();
  /** The session after the shopper's last action. */
  let present: SessionStep | null = null;

  return {
    /** The page was opened, through `campaign` if there is one. Starts or continues the session. */
    open: (at: number, campaign: Campaign | null, page: Omit<PageView, "type">) => {
      const step = act(at, campaign);
      tellOfIdentity("An identify event", () =>
        tell(at, "identify", step, { type: "identify", ...identity }),
      );
      tell(at, "pageView", step, {
        ...page,
        type: "page-view",
        additionalInfo: eventData(page.additionalInfo),
      });
    },
    click: (at: number, element: string) => {
      if (!world.unknown) {
        tell(at, "click", act(at, null), { type: "click", element });
      }
    },
    view: (at: number, assignments: readonly Assignment[]) => {
      for (const { experiment_id, variation_id, variation_key } of assignments) {
        const step = act(at, null);
        if (visitor.sees(experiment_id, step.session.id)) {
          tell(at, "ExperimentViewed", step, {
            type: "experiment-viewed",
            experimentId: experiment_id,
            variationId: variation_id,
            variationKey: variation_key,
          });
        }
      }
    },
    /** The product's own analytics. */
    custom: (at: number, name: string, data: EventData) => tellCustom(at, name, data, () => act(at, null)),
    /** An analytics event of a shopper who leaves. It does not start or continue a session. */
    leave: (at: number, name: string, data: EventData) =>
      tellCustom(at, name, data, () => present ?? act(at, null)),
  };

  function tellCustom(at: number, name: string, data: EventData, session: () => SessionStep): void {
    if (name.trim() === "") {
      log("A custom event has no name and is dropped.");
      return;
    }
    const told = { elapsed_ms: Math.max(0, at - world.start), ...data };
    tell(at, name.slice(0, EVENT_NAME_CHARACTERS_MAX), session(), {
      type: "custom",
      data: eventData(told),
    });
  }

  /** Continues the session, or reports that another one starts. */
  function act(at: number, campaign: Campaign | null): SessionStep {
    const step = visitor.act(at, campaign);
    present = step;
    for (const { name, ...visit } of step.events) {
      tellOfIdentity("A session event", () => tell(at, name, visit, { type: "session" }));
    }
    return step;
  }

  /** Identities and sessions are reported only with a cookie id (docs/tracking.md#what-is-dropped). */
  function tellOfIdentity(what: string, telling: () => void): void {
    if (world.unknown) {
      return;
    }
    if (identity.cookieId.trim() === "") {
      log(`${what} has no cookie id and is dropped.`);
    } else {
      telling();
    }
  }

  function tell(
    at: number,
    name: string,
    { session, campaign }: { readonly session: Session; readonly campaign: Campaign | null },
    kind: EventKind,
  ): void {
    if (namespace !== NAMESPACE) {
      log("An event has an invalid namespace and is dropped.");
      return;
    }
    const metadata: EventMetadata = {
      namespace,
      codaCookieId: identity.cookieId,
      ...world.about(),
      ...(campaign ?? NO_CAMPAIGN),
      sessionId: session.id,
      sessionNum: session.num,
      engagementMs: world.engagementMs(at),
    };
    world.add({ key: visit, value: { ...kind, name, id: newId(), at, visit, metadata } });
  }
}
