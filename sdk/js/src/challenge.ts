// Shows the bank's 3-D Secure challenge over the merchant's page: the bank's page in a frame, in a modal dialog with a close
// button, or where the merchant's page puts it. The form tells how it ended; this only reports that the shopper came back or closed it.

import { CHALLENGE_SOURCE } from "../../../form/generated/challenge.ts";
import type { ChallengeLabels, FromParent, ShopperAction } from "../../../form/generated/wire.ts";
import type { MountOptions } from "./options.ts";
import type { Challenge, ChallengeEnd } from "./own-challenge.ts";

/** The dialog's labels if the form sends none. */
const LABELS = {
  title: "Confirm it’s you",
  close: "Cancel the confirmation",
  new_window: "Open in a new window",
} satisfies ChallengeLabels;
type Labels = Readonly<Record<keyof typeof LABELS, string>>;

/** The background behind the form (`hostBackground`) and the form's options: the dialog looks like the form. */
export interface ChallengeLook {
  readonly host: string;
  readonly options: MountOptions;
}

/** On a background darker than this, white is easier to read than black. */
const DARK_LUMINANCE_MAX = 0.179;

/** The dialog's own colors, behind what the theme says. */
const COLORS = { light: ["#ffffff", "#111827"], dark: ["#111827", "#f9fafb"] } as const;

type ChallengeAction = Extract<ShopperAction, { type: "challenge" }>;

/** The bank's page in a frame, which is not in the document yet. */
interface BankPage {
  readonly frame: HTMLIFrameElement;
  readonly openWindow: () => void;
  /** Removes the frame, and tells the form how it ended unless it knows already. */
  readonly end: (how: ChallengeEnd) => void;
  readonly ended: Promise<ChallengeEnd>;
}

/**
 * Shows the challenge: the merchant's page does if it has `onChallenge`, and otherwise a dialog. Tells the form with `post`
 * when the shopper has come back or has closed it. The returned function removes it without a message.
 */
export function openChallenge(
  action: ChallengeAction,
  given: ChallengeLabels | undefined,
  post: (message: FromParent) => void,
  look: ChallengeLook,
): () => void {
  const labels: Labels = { ...LABELS, ...given };
  let isOver = false;
  let removeDialog = () => {};
  const bank = bankPage(action, labels.title, (how) => {
    isOver = true;
    removeDialog();
    if (how !== "over") {
      post({ type: how === "returned" ? "shopper-action-returned" : "shopper-action-closed" });
    }
  });
  const showDialog = () => {
    if (!isOver) {
      removeDialog = openDialog(action, labels, bank, look);
    }
  };
  const { onChallenge } = look.options;
  if (onChallenge) {
    // If the page's function fails, the shopper is not left alone.
    const handOver = async () => onChallenge(ownChallenge(action, labels, bank));
    handOver().then(
      (answer) => answer === false && showDialog(),
      (error) => {
        console.error("Cardform: onChallenge failed.", error);
        showDialog();
      },
    );
  } else {
    showDialog();
  }
  return () => bank.end("over");
}

/** What the merchant's page gets. */
function ownChallenge(
  { url, width, height }: ChallengeAction,
  { title, close, new_window: newWindow }: Labels,
  { frame, openWindow, end, ended }: BankPage,
): Challenge {
  return {
    url,
    width,
    height,
    openWindow,
    labels: { title, close, newWindow },
    mount(element) {
      frame.style.cssText =
        `display:block;width:100%;max-width:${width}px;height:${height}px;border:0;background:#fff;` +
        "color-scheme:light";
      element.append(frame);
      return ended;
    },
    cancel: () => end("canceled"),
  };
}

function bankPage(
  { url, width, height }: ChallengeAction,
  title: string,
  onEnd: (how: ChallengeEnd) => void,
): BankPage {
  const frame = document.createElement("iframe");
  frame.title = title;
  // The bank's page may do everything except navigate the merchant's page away.
  frame.setAttribute("sandbox", "allow-forms allow-scripts allow-same-origin allow-popups");
  frame.referrerPolicy = "origin";
  frame.src = url;
  let opened: Window | null = null;
  let resolve = (_how: ChallengeEnd) => {};
  const ended = new Promise<ChallengeEnd>((resolved) => {
    resolve = resolved;
  });
  let isOver = false;

  function onMessage({ source, data }: MessageEvent<unknown>): void {
    const isDone = typeof data === "object" && data !== null && "source" in data;
    const isTheirs = source !== null && (source === frame.contentWindow || source === opened);
    if (isTheirs && isDone && data.source === CHALLENGE_SOURCE) {
      end("returned");
    }
  }
  window.addEventListener("message", onMessage);

  function end(how: ChallengeEnd): void {
    if (!isOver) {
      isOver = true;
      window.removeEventListener("message", onMessage);
      onEnd(how);
      frame.remove();
      resolve(how);
    }
  }

  return {
    frame,
    openWindow: () => {
      opened = window.open(url, "_blank", `width=${width},height=${height}`);
    },
    end,
    ended,
  };
}

/** Opens the dialog over the merchant's page. The returned function removes it. */
function openDialog(
  { width, height }: ChallengeAction,
  { title, close: closeLabel, new_window: windowLabel }: Labels,
  { frame, openWindow, end }: BankPage,
  { host, options: { customStyle, options } }: ChallengeLook,
): () => void {
  const dark = isDark(options?.colorMode ?? host);
  const [ground, ink] = COLORS[dark ? "dark" : "light"];
  const theme = customStyle?.children?.cardForm;
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", title);
  // Through the CSSOM, because a strict content security policy forbids the style attribute.
  dialog.style.cssText =
    "box-sizing:border-box;margin:auto;padding:0;border:0;border-radius:12px;overflow:hidden;" +
    `background:${ground};color:${ink};color-scheme:${dark ? "dark" : "light"};` +
    `font:600 16px/1.3 system-ui,sans-serif;max-width:calc(100vw - 16px);max-height:100vh;width:${width}px;` +
    "box-shadow:0 0 0 100vmax rgb(0 0 0/50%)";
  // One by one, so that an invalid value leaves the default. A transparent color would show the page behind it.
  const { style } = dialog;
  style.backgroundColor = opaque(theme?.backgroundColor) ?? opaque(customStyle?.backgroundColor) ?? ground;
  style.color = theme?.titleColor ?? ink;
  style.fontFamily = theme?.fontFamily ?? "system-ui,sans-serif";
  style.borderRadius = theme?.borderRadius === undefined ? "12px" : `min(${theme.borderRadius}, 24px)`;
  const bar = document.createElement("div");
  bar.style.cssText = "display:flex;align-items:center;gap:8px;min-height:44px";
  const heading = document.createElement("h2");
  heading.textContent = title;
  heading.style.cssText = "flex:1;margin:8px 0;padding-inline-start:16px;font:inherit;color:inherit";
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "×";
  close.setAttribute("aria-label", closeLabel);
  close.style.cssText =
    "flex:none;width:44px;height:44px;padding:0;border:0;background:none;color:inherit;font:24px/1 sans-serif;cursor:pointer";
  // A bank's page without colors of its own is meant for white.
  frame.style.cssText = `display:block;width:100%;height:min(${height}px,100vh - 104px);border:0;background:#fff;color-scheme:light`;
  // Some banks forbid frames, and scripts cannot find that out. The shopper sees an empty frame and can use this.
  const newWindow = document.createElement("button");
  newWindow.type = "button";
  newWindow.textContent = windowLabel;
  newWindow.style.cssText =
    "display:block;width:100%;min-height:44px;border:0;background:none;color:inherit;font:14px/1.4 sans-serif;" +
    "text-decoration:underline;cursor:pointer";
  newWindow.addEventListener("click", openWindow);
  bar.append(heading, close);
  dialog.append(bar, frame, newWindow);

  close.addEventListener("click", () => end("canceled"));
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    end("canceled");
  });
  document.body.append(dialog);
  dialog.showModal();

  return () => {
    // Only closing a modal dialog gives the focus back, so it is closed before it is removed.
    dialog.close();
    dialog.remove();
  };
}

/** `color`, if it is not transparent. */
function opaque(color: string | undefined): string | undefined {
  const isSolid =
    color !== undefined && /^#([\da-f]{3}|[\da-f]{6})$|^[a-z]+$|^(rgb|hsl)\([^/]*\)$/i.test(color);
  return isSolid && color !== "transparent" ? color : undefined;
}

/** Whether a form with this color mode or this background is dark. The server decides in the same way. */
function isDark(host: string): boolean {
  if (/dark/.test(host) || host === "system") {
    return !/light|system/.test(host) || matchMedia("(prefers-color-scheme: dark)").matches;
  }
  const context = document.createElement("canvas").getContext("2d");
  if (!context || !host.includes("(")) {
    return false;
  }
  context.fillStyle = host;
  context.fillRect(0, 0, 1, 1);
  const linear = Array.from(context.getImageData(0, 0, 1, 1).data, (byte) => (byte / 255) ** 2.2);
  const [red = 1, green = 1, blue = 1] = linear;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < DARK_LUMINANCE_MAX;
}
