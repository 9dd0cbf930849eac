// The bank's 3-D Secure challenge on the payment page: the bank's page in a frame of 390 by 400 pixels in a modal dialog
// (docs/form.md#the-banks-page). The server knows how it ended; this only reports that the shopper came back or closed it.

import { useEffect, useLayoutEffect, useRef } from "react";

import { CHALLENGE_SOURCE } from "../../generated/challenge.ts";
import type { ShopperAction } from "../../generated/wire.ts";
import { ELEMENT_IDS } from "../card/element-ids.ts";
import { CloseIcon } from "./icons.tsx";
import { useStore, useText } from "./store.ts";

/** The path of our own page to which the bank returns the shopper. */
const RETURN_PATH = /^\/v1\/pub\/charges\/[^/]+\/return$/;

export function Challenge({ action }: { readonly action: ShopperAction }) {
  const text = useText();
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  /** The window that the shopper has opened for the challenge, if any. */
  const opened = useRef<Window | null>(null);

  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    // Not the close button, which the dialog would focus: a second Enter would cancel the payment.
    opened?.querySelector("h2")?.focus();
    return () => opened?.close();
  }, []);

  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent<unknown>) => {
      const isTheirs = source === frame.current?.contentWindow || source === opened.current;
      if (source !== null && isTheirs && isDone(data)) {
        store.send({ type: "challenge-returned" });
      }
    };
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, [store]);

  return (
    <dialog
      ref={dialog}
      className="dialog challenge"
      id={ELEMENT_IDS.challenge}
      aria-labelledby="challenge-title"
      // Escape closes it like the button. A click outside does not, because the bank's page cannot be opened twice.
      onCancel={(event) => {
        event.preventDefault();
        store.send({ type: "challenge-closed" });
      }}
    >
      <div className="challenge-bar">
        <h2 className="dialog-title" id="challenge-title" tabIndex={-1}>
          {text("challenge_title")}
        </h2>
        <button
          type="button"
          className="challenge-close"
          id="challenge-close"
          aria-label={text("challenge_close")}
          onClick={() => store.send({ type: "challenge-closed" })}
        >
          <CloseIcon />
        </button>
      </div>
      <iframe
        ref={frame}
        className="challenge-frame"
        title={text("challenge_title")}
        src={webAddress(action.url)}
        // The bank's page may do everything except navigate this page away.
        sandbox="allow-forms allow-scripts allow-same-origin allow-popups"
        // For a bank that confirms the shopper with a passkey or with Secure Payment Confirmation.
        allow="publickey-credentials-get; payment"
        referrerPolicy="origin"
        onLoad={({ currentTarget }) => {
          if (hasReturned(currentTarget)) {
            store.send({ type: "challenge-returned" });
          }
        }}
      />
      {/* Some banks forbid frames, and scripts cannot find that out. The shopper sees an empty frame and can use this. */}
      <button
        type="button"
        className="challenge-window"
        id="challenge-window"
        onClick={() => {
          opened.current = window.open(webAddress(action.url), "_blank", windowFeatures(action));
        }}
      >
        {text("challenge_new_window")}
      </button>
    </dialog>
  );
}

function isDone(data: unknown): boolean {
  return typeof data === "object" && data !== null && "source" in data && data.source === CHALLENGE_SOURCE;
}

/** The size of a new window for the bank's page. */
function windowFeatures(action: ShopperAction): string {
  return action.type === "challenge" ? `width=${action.width},height=${action.height}` : "";
}

/** Only web addresses are opened: a `javascript:` address would run in this page. */
function webAddress(url: string): string {
  return /^https?:\/\//i.test(url) ? url : "about:blank";
}

function hasReturned(frame: HTMLIFrameElement): boolean {
  try {
    return RETURN_PATH.test(frame.contentWindow?.location.pathname ?? "");
  } catch {
    // The bank's page has another origin, so its address cannot be read.
    return false;
  }
}
