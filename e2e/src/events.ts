// Records every tracking event that a page posts, with a proxy between the browser and the service.

import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";

import type { EventBatch, Event as TrackingEvent } from "../../form/generated/wire.ts";
import type { Service } from "./service.ts";

export type { TrackingEvent };

export interface EventRecorder {
  /** The address at which the browser reaches the service through the recorder. */
  readonly url: string;
  /** Every event that was posted so far, once, in order. A page posts an event again if it left before the answer. */
  readonly all: () => readonly TrackingEvent[];
  /** Waits until an event of this name was posted, and returns the last one. */
  readonly waitForEvent: (name: string) => Promise<TrackingEvent>;
  /** The bodies of the requests with events, unchanged. */
  readonly bodies: readonly string[];
  /** The status with which the service answered each of them. */
  readonly statuses: readonly number[];
  readonly stop: () => void;
}

/**
 * Starts a proxy in front of `service`. It also records what a page posts while it closes, which Playwright does not
 * report.
 */
async function startRecorder(service: Service): Promise<EventRecorder> {
  const bodies: string[] = [];
  const statuses: number[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const isEvents = incoming.url?.startsWith("/topics/") ?? false;
    if (isEvents) {
      expect([incoming.method, incoming.url]).toEqual(["POST", "/topics/cardform-events"]);
      expect(incoming.headers["content-type"]).toBe("application/vnd.kafka.json.v2+json");
      bodies.push(body.toString());
    }
    const { method = "GET", headers } = incoming;
    const request = forward(new URL(incoming.url ?? "/", service.url), { method, headers }, (answer) => {
      if (isEvents) statuses.push(answer.statusCode ?? 0);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    request.on("error", () => outgoing.destroy());
    request.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const all = () => {
    const posted = bodies.flatMap((body) =>
      (JSON.parse(body) as EventBatch).records.map(({ value }) => value),
    );
    // A map keeps the place of an id that comes again.
    return [...new Map(posted.map((event) => [event.id, event])).values()];
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    all,
    bodies,
    statuses,
    waitForEvent: async (name) => {
      await expect.poll(() => all().map((event) => event.name)).toContain(name);
      return all().findLast((event) => event.name === name) as TrackingEvent;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Starts a recorder in front of a service. */
export type StartRecorder = (service: Service) => Promise<EventRecorder>;

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
