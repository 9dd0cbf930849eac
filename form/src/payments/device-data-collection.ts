// Collects device data (docs/calls.md#device-data): a hidden frame posts the card's first six digits to the provider, whose
// page answers with a session id.

import type { DeviceDataSession } from "../../generated/wire.ts";
import { authorisation, type Caller } from "./charges.ts";

/** A session id that the server accepts. */
const SESSION_ID = /^[!-~]{1,255}$/;
const FRAME_NAME = "device-data";

/** The session id; null if there is none, if an error occurs, or if `signal` aborts. */
export async function collectDeviceData(
  bin: string,
  caller: () => Promise<Caller | null>,
  signal: AbortSignal,
): Promise<string | null> {
  const stopped = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null)));
  const session = await Promise.race([initiate(caller, signal), stopped]);
  return session === null || signal.aborted ? null : postFromFrame(bin, session, signal);
}

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
    // A charge can do without device data, so errors are ignored.
    return null;
  }
}

/** Posts the form into a hidden frame and waits for the message of the provider's page. */
function postFromFrame(
  bin: string,
  { jwt, url }: Required<DeviceDataSession>,
  signal: AbortSignal,
): Promise<string | null> {
  const frame = document.createElement("iframe");
  frame.name = `${FRAME_NAME}-${Math.random()}`;
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
    const onMessage = (event: MessageEvent<unknown>) => {
      // Other messages are ignored: the provider's page may report its progress first.
      const isProvider = event.origin === origin && event.source === frame.contentWindow;
      const sessionId = isProvider ? readSessionId(event.data) : null;
      if (sessionId !== null) {
        end(sessionId);
      }
    };
    window.addEventListener("message", onMessage, { signal: listening.signal });
    signal.addEventListener("abort", () => end(null), { signal: listening.signal });
    form.submit();
  });
}

/** The session id in a message with `Status` true, given as an object or as JSON; null for any other message. */
export function readSessionId(data: unknown): string | null {
  try {
    const message: unknown = typeof data === "string" ? JSON.parse(data) : data;
    const { SessionId, Status } = (message ?? {}) as Readonly<Record<string, unknown>>;
    return Status === true && typeof SessionId === "string" && SESSION_ID.test(SessionId) ? SessionId : null;
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
