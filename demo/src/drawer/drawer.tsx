// The developer's drawer beside the shop: switches, the messages between form and page, and the calls of the shop's server.

import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { fetchServerLog, type ServerCall } from "../shop-server.ts";
import { type LogEntry, LogList } from "./log-list.tsx";
import { forgetMessages, type NotedMessage, notedMessages, onMessageNoted } from "./message-log.ts";
import { Switches, type SwitchesProps } from "./switches.tsx";

interface DrawerProps extends SwitchesProps {
  /** The order whose calls are shown; null while there is none. */
  readonly orderId: string | null;
}

/** On screens of this width the drawer fits beside the shop, so it is open at first. */
const WIDE = "(min-width: 96rem)";
/** How often the shop's server is asked for its log, in milliseconds. */
const LOG_PAUSE_MS = 1_000;

export function Drawer({ orderId, settings, onChange }: DrawerProps) {
  const [isOpen, setOpen] = useState(() => matchMedia(WIDE).matches);
  const handle = useRef<HTMLButtonElement>(null);
  const messages = useSyncExternalStore(onMessageNoted, notedMessages);
  const calls = useServerLog(isOpen ? orderId : null);

  // The page makes room for the drawer.
  useEffect(() => {
    document.documentElement.dataset.drawer = isOpen ? "open" : "closed";
  }, [isOpen]);

  return (
    <>
      <button
        ref={handle}
        id="drawer-handle"
        className="drawer-handle"
        type="button"
        aria-expanded={isOpen}
        aria-controls="drawer"
        onClick={() => setOpen(!isOpen)}
      >
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="M7 6l-4 4 4 4M13 6l4 4-4 4" />
        </svg>
        {isOpen ? "Close" : "For developers"}
      </button>
      <aside
        id="drawer"
        className="drawer"
        aria-label="For developers"
        hidden={!isOpen}
        onKeyDown={({ key }) => {
          if (key === "Escape") {
            setOpen(false);
            handle.current?.focus();
          }
        }}
      >
        <h2>For developers</h2>
        <Switches settings={settings} onChange={onChange} />
        <p className="drawer-links">
          <a href="/demo/theme">Theme playground</a>
          <a href="/demo/plain">One plain HTML file</a>
          <button className="text-button" type="button" onClick={forgetMessages}>
            Clear messages
          </button>
        </p>
        <div className="logs">
          <LogList
            id="message-log"
            title="Form and page"
            empty="The messages between the form’s frame and this page."
            entries={messages.map(entryOfMessage)}
          />
          <LogList
            id="server-log"
            title="The shop’s server"
            empty="The requests of the shop’s server to Cardform, and the webhooks it gets."
            entries={calls.map(entryOfCall)}
          />
        </div>
      </aside>
    </>
  );
}

function entryOfMessage({ number, at, from, type, message }: NotedMessage): LogEntry {
  const fromForm = from === "form";
  return {
    key: number,
    at,
    arrow: fromForm ? "←" : "→",
    way: fromForm ? "from the form" : "to the form",
    name: type,
    note: "",
    content: message,
  };
}

function entryOfCall({ number, at_ms, kind, name, status, took_ms, sent, answer }: ServerCall): LogEntry {
  const isRequest = kind === "request";
  return {
    key: number,
    at: at_ms,
    arrow: isRequest ? "→" : "←",
    way: isRequest ? "request" : "webhook",
    name: name.replace(/(ch_\w{6})\w+/, "$1…"),
    note: isRequest ? `${status} · ${took_ms} ms` : `${status}`,
    failed: status < 200 || status > 299,
    content: isRequest ? { sent, answer } : sent,
  };
}

/** The calls of the shop's server about an order, fetched every second while the page is visible. */
function useServerLog(orderId: string | null): readonly ServerCall[] {
  const [calls, setCalls] = useState<readonly ServerCall[]>([]);
  useEffect(() => {
    if (orderId === null) {
      return;
    }
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      if (!document.hidden) {
        const log = await fetchServerLog(orderId, over.signal).catch(() => null);
        if (log && !over.signal.aborted) {
          setCalls(log);
        }
      }
      if (!over.signal.aborted) {
        timer = setTimeout(ask, LOG_PAUSE_MS);
      }
    };
    void ask();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [orderId]);
  return calls;
}
