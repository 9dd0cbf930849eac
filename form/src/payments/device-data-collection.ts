// Collects device data (specification, point 7): a hidden frame posts the card's first six digits to the provider and
// tells a session id.

import type { DeviceDataSession } from "../../generated/wire.ts";
import { authorisation, type Caller } from "./charges.ts";

/** The longest session id that the server takes. */
const SESSION_ID = /^[!-~]{1,255}$/;
const FRAME_NAME = "device-data";

/** The session id; null when there is none, when it fails, and when `signal` ends it. */
export async function collectDeviceData(
  bin: string,
  caller: () => Promise<Caller | null>,
  signal: AbortSignal,
): Promise<string | null> {
  const stopped = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null)));
  const session = await Promise.race([initiate(caller, signal), stopped]);
  return session === null || signal.aborted ? null : postFromFrame(bin, session, signal);
}

/** Asks our server for a session; null when there is none. */
async function initiate(
  caller: () => Promise<Caller | null>,
  signal: AbortSignal,
): Promise<Required<DeviceDataSession> | null> {
  try {
    const asking = await caller();
    if (asking === null) {
      return null;
    }
    const init = { method: "POST", headers: authorisation(asking), signal };
    const response = await fetch(`${asking.service.base}/v1/pub/device-data/initiate`, init);
    const { jwt, url } = response.status === 200 ? ((await response.json()) as DeviceDataSession) : {};
    return typeof jwt === "string" && typeof url === "string" && /^https?:\/\//i.test(url)
      ? { jwt, url }
      : null;
  } catch {
    // A charge can do without device data, so nothing is worth an error here.
    return null;
  }
}

/** Posts the form from a hidden frame and waits for the message of the page that answers it. */
function postFromFrame(
  bin: string,
  { jwt, url }: Required<DeviceDataSession>,
  signal: AbortSignal,
): Promise<string | null> {
  const frame = document.createElement("iframe");
  frame.name = `${FRAME_NAME}-${crypto.randomUUID()}`;
  frame.hidden = true;
  frame.title = FRAME_NAME;
  const form = document.createElement("form");
  form.hidden = true;
  form.method = "post";
  form.action = url;
  form.target = frame.name;
  form.append(hiddenInput("Bin", bin), hiddenInput("JWT", jwt));
  document.body.append(frame, form);
  const { origin } = new URL(url);
  return new Promise<string | null>((resolve) => {
    const listening = new AbortController();
    const end = (sessionId: string | null) => {
      listening.abort();
      frame.remove();
      form.remove();
      resolve(sessionId);
    };
    window.addEventListener(
      "message",
      (event: MessageEvent<unknown>) => {
        // Other frames and other origins do not end the waiting; a message of the right one does, whatever it says.
        if (event.origin === origin && event.source === frame.contentWindow) {
          end(readSessionId(event.data));
        }
      },
      { signal: listening.signal },
    );
    signal.addEventListener("abort", () => end(null), { signal: listening.signal });
    form.submit();
  });
}

/**
 * The session id of a message, a JSON string with `Status` true; null when it says anything else.
 */
export function readSessionId(data: unknown): string | null {
  if (typeof data !== "string") {
    return null;
  }
  try {
    const message = JSON.parse(data) as Readonly<Record<string, unknown>> | null;
    const { MessageType, SessionId, Status } = message ?? {};
    const isCompleted = MessageType === "profile.completed" && Status === true;
    return isCompleted && typeof SessionId === "string" && SESSION_ID.test(SessionId) ? SessionId : null;
  } catch {
    return null;
  }
}

function hiddenInput(name: string, value: string): HTMLInputElement {
  const input = document.createElement("input");
  input.type = "hidden";
  input.name = name;
  input.value = value;
  return input;
}
