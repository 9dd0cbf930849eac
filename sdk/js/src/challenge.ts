// Shows the bank's challenge of 3-D Secure over the merchant's page: its page in a frame, in a modal dialog with a close
// button. How it ended is the form's to say; this knows only that the shopper came back, or closed it.

import type { ChallengeLabels, FromParent, ShopperAction } from "../../../form/generated/wire.ts";

/** `source` of what the page that the bank leads back to posts. */
const CHALLENGE_SOURCE = "cardform-challenge";

/** The dialog's words when the form sends none. */
const LABELS: ChallengeLabels = { title: "Confirm it’s you", close: "Cancel the confirmation" };

/**
 * Opens the dialog and tells the form, by `post`, when the shopper came back or closed it with its button or with Escape.
 * The returned function takes it off the page without telling anybody.
 */
export function openChallenge(
  { url, width, height }: Extract<ShopperAction, { type: "challenge" }>,
  labels: ChallengeLabels | undefined,
  post: (message: FromParent) => void,
): () => void {
  const { title, close: closeLabel } = labels ?? LABELS;
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", title);
  // Through the CSSOM, because a strict content security policy forbids the style attribute.
  dialog.style.cssText =
    "box-sizing:border-box;margin:auto;padding:0;border:0;border-radius:12px;overflow:hidden;background:#fff;" +
    `color-scheme:light;max-width:100vw;max-height:100vh;width:${width}px;box-shadow:0 0 0 100vmax rgb(0 0 0/50%)`;
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "×";
  close.setAttribute("aria-label", closeLabel);
  close.style.cssText =
    "display:block;margin-inline-start:auto;width:44px;height:44px;border:0;background:none;color:#3f3c4d;" +
    "font:24px/1 sans-serif;cursor:pointer";
  const frame = document.createElement("iframe");
  frame.title = title;
  // The bank's page may do all but lead the merchant's page away.
  frame.setAttribute("sandbox", "allow-forms allow-scripts allow-same-origin allow-popups");
  frame.referrerPolicy = "origin";
  frame.style.cssText = `display:block;width:100%;height:min(${height}px,100vh - 44px);border:0`;
  frame.src = url;
  dialog.append(close, frame);

  function onMessage({ source, data }: MessageEvent<unknown>): void {
    const isDone = typeof data === "object" && data !== null && "source" in data;
    if (source !== null && source === frame.contentWindow && isDone && data.source === CHALLENGE_SOURCE) {
      over("shopper-action-returned");
    }
  }
  window.addEventListener("message", onMessage);
  close.addEventListener("click", () => over("shopper-action-closed"));
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    over("shopper-action-closed");
  });
  document.body.append(dialog);
  dialog.showModal();

  function remove(): void {
    window.removeEventListener("message", onMessage);
    // Removing a modal dialog gives the focus back only after it was closed.
    dialog.close();
    dialog.remove();
  }

  function over(type: "shopper-action-returned" | "shopper-action-closed"): void {
    remove();
    post({ type });
  }

  return remove;
}
