// Records every tracking event that a page posts, with a proxy between the browser and the service.

import { expect } from "vitest";

import type { EventBatch, Event as TrackingEvent } from "../../form/generated/wire.ts";
import { type RunningProxy, startProxy } from "./proxy.ts";
import type { Service } from "./service.ts";

export type { TrackingEvent };

export interface EventRecorder extends RunningProxy {
  /** Every event that was posted so far, once, in order. A page posts an event again if it left before the answer. */
  readonly all: () => readonly TrackingEvent[];
  /** Waits until an event of this name was posted, and returns the last one. */
  readonly waitForEvent: (name: string) => Promise<TrackingEvent>;
  /** The bodies of the requests with events, unchanged. */
  readonly bodies: readonly string[];
  /** The status with which the service answered each of them. */
  readonly statuses: readonly number[];
}

/**
 * Starts a proxy in front of `service`. It also records what a page posts while it closes, which Playwright does not
 * report.
 */
async function startRecorder(service: Service): Promise<EventRecorder> {
  const bodies: string[] = [];
  const statuses: number[] = [];
  const isEvents = (path: string) => path.startsWith("/topics/");
  const proxy = await startProxy(
    () => service.url,
    ({ incoming, path, body }) => {
      if (isEvents(path)) {
        expect([incoming.method, path]).toEqual(["POST", "/topics/cardform-events"]);
        expect(incoming.headers["content-type"]).toBe("application/vnd.kafka.json.v2+json");
        bodies.push(body.toString());
      }
    },
    ({ path }, answer) => {
      if (isEvents(path)) statuses.push(answer.statusCode ?? 0);
      return undefined;
    },
  );
  const all = () => {
    const posted = bodies.flatMap((body) =>
      (JSON.parse(body) as EventBatch).records.map(({ value }) => value),
    );
    // A map keeps the place of an id that comes again.
    return [...new Map(posted.map((event) => [event.id, event])).values()];
  };
  return {
    ...proxy,
    all,
    bodies,
    statuses,
    waitForEvent: async (name) => {
      await expect.poll(() => all().map((event) => event.name)).toContain(name);
      return all().findLast((event) => event.name === name) as TrackingEvent;
    },
  };
}

export type StartRecorder = typeof startRecorder;

/** A fixture: a test can start several recorders. They stop after the test. */
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures a test uses.
export function recorders({}, { onCleanup }: { onCleanup: (stop: () => void) => void }): StartRecorder {
  const started: EventRecorder[] = [];
  onCleanup(() => {
    for (const recorder of started) recorder.stop();
  });
  return async (service) => {
    const recorder = await startRecorder(service);
    started.push(recorder);
    return recorder;
  };
}

/** The path and the value of every field of an event, without ids and times. */
export function fieldsOf(event: TrackingEvent): readonly (readonly [string, string])[] {
  return allFields("", event).filter(([path]) => !/(^|\.)(id|visit|at|.*Id|.*Ms|.*_ms)$/.test(path));
}

function allFields(path: string, value: unknown): readonly (readonly [string, string])[] {
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        allFields(path === "" ? name : `${path}.${name}`, inner),
      )
    : [[path, String(value)]];
}
