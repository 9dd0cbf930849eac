// The bank's challenge of 3-D Secure on the payment page: its page in a frame of 390 by 400, in a modal
// dialog (docs/form.md#the-banks-page). How it ended is the server's to say; this knows only that the shopper
// came back, or closed it.

import { useEffect, useLayoutEffect, useRef } from "react";

import type { ShopperAction } from "../../generated/wire.ts";
import { CloseIcon } from "./icons.tsx";
import { useStore } from "./store.ts";
import { useText } from "./text.ts";

/** What a challenge page that knows us posts when the shopper is done. */
const CHALLENGE_SOURCE = "cardform-challenge";
/** As large as the frame. */
const WINDOW_FEATURES = "width=390,height=400";
/** Where the bank leads the shopper back to, on our own origin. */
const RETURN_PATH = /^\/v1\/pub\/charges\/[^/]+\/return$/;

export function Challenge({ action }: { readonly action: ShopperAction }) {
  const text = useText();
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  /** The challenge's own window, where the shopper has opened one. */
  const opened = useRef<Window | null>(null);

  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
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
      id="challenge"
      aria-labelledby="challenge-title"
      // Escape closes like the button; a click beside the dialog does not, since the bank's page cannot be had again.
      onCancel={(event) => {
        event.preventDefault();
        store.send({ type: "challenge-closed" });
      }}
    >
      <div className="challenge-bar">
        <h2 className="dialog-title" id="challenge-title">
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
        // The bank's page may do all but lead this page away.
        sandbox="allow-forms allow-scripts allow-same-origin allow-popups"
        referrerPolicy="origin"
        onLoad={({ currentTarget }) => {
          if (hasReturned(currentTarget)) {
            store.send({ type: "challenge-returned" });
          }
        }}
      />
      {/* Some banks' pages allow no frame, and browsers tell nobody: the shopper sees that nothing is there. */}
      <button
        type="button"
        className="challenge-window"
        id="challenge-window"
        onClick={() => {
          opened.current = window.open(webAddress(action.url), "_blank", WINDOW_FEATURES);
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

/** A script-protocol address runs in this page: only web addresses are opened. */
function webAddress(url: string): string {
  return /^https?:\/\//i.test(url) ? url : "about:blank";
}

function hasReturned(frame: HTMLIFrameElement): boolean {
  try {
    return RETURN_PATH.test(frame.contentWindow?.location.pathname ?? "");
  } catch {
    // The bank's own page, whose address is none of ours.
    return false;
  }
}
