// Shows the bank's 3-D Secure challenge over the merchant's page: the bank's page in a frame, in a modal dialog with a close
// button, or where the merchant's page puts it. It reports that the shopper came back or closed it; the form knows the outcome.

import { CHALLENGE_SOURCE } from "../../../form/generated/challenge.ts";
import type { ChallengeLabels, FromParent, ShopperAction } from "../../../form/generated/wire.ts";
import type { CredentiallessFrame } from "./frame.ts";
import type { MountOptions } from "./options.ts";
import type { Challenge, ChallengeEnd } from "./own-challenge.ts";

/** The dialog's labels if the form sends none. */
const LABELS = {
  title: "Confirm it’s you",
  close: "Cancel verification",
  new_window: "Open in a new window",
  lang: "en",
} satisfies ChallengeLabels;
type Labels = Readonly<Record<keyof typeof LABELS, string>>;

/** The form's frame, the background behind it (`hostBackground`) and its options: the dialog looks like the form. */
export interface ChallengeLook {
  readonly frame: CredentiallessFrame;
  readonly host: string;
  readonly options: MountOptions;
}

/** On a background darker than this, white is easier to read than black. */
const DARK_LUMINANCE_MAX = 0.179;

/** The form's font. */
const FONT = 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif';

/** The dialog's own colors, for parts that the theme does not set. */
const COLORS = { light: ["#ffffff", "#111827"], dark: ["#111827", "#f9fafb"] } as const;

type ChallengeAction = Extract<ShopperAction, { type: "challenge" }>;

/** The bank's page in a frame, which is not in the document yet. */
interface BankPage {
  readonly frame: HTMLIFrameElement;
  readonly openWindow: () => void;
  /** Removes the frame, and tells the form how the challenge ended, unless the form knows it. */
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
  const bank = bankPage(action, labels.title, look.frame, (how) => {
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
    // If the page's function fails, the shopper gets the dialog.
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

/** The challenge for a merchant's page that shows it itself. */
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
  { credentialless }: CredentiallessFrame,
  onEnd: (how: ChallengeEnd) => void,
): BankPage {
  const frame: CredentiallessFrame = document.createElement("iframe");
  // Where the form's frame must be so, the bank's must, too.
  frame.credentialless = credentialless ?? false;
  frame.title = title;
  // The bank's page may do everything except navigate the merchant's page away.
  frame.setAttribute("sandbox", "allow-forms allow-scripts allow-same-origin allow-popups");
  // For a bank that confirms the shopper with a passkey or with Secure Payment Confirmation.
  frame.allow = "publickey-credentials-get; payment";
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
  { title, close: closeLabel, new_window: windowLabel, lang }: Labels,
  { frame, openWindow, end }: BankPage,
  { host, options: { customStyle, options } }: ChallengeLook,
): () => void {
  const dark = isDark(options?.colorMode ?? host);
  const [ground, ink] = COLORS[dark ? "dark" : "light"];
  const theme = customStyle?.children?.cardForm;
  const dialog = element(
    "dialog",
    "box-sizing:border-box;margin:auto;padding:0;border:0;border-radius:12px;overflow:hidden;" +
      `background:${ground};color:${ink};color-scheme:${dark ? "dark" : "light"};` +
      `font:650 16px/1.3 ${FONT};max-width:calc(100vw - 16px);max-height:100vh;width:${width}px;` +
      "box-shadow:0 0 0 100vmax rgb(0 0 0/50%)",
  );
  dialog.setAttribute("aria-label", title);
  dialog.lang = lang;
  // The title decides.
  dialog.dir = "auto";
  // One by one, so that an invalid value leaves the default. A transparent color would show the page behind it.
  const { style } = dialog;
  style.backgroundColor = opaque(theme?.backgroundColor) ?? opaque(customStyle?.backgroundColor) ?? ground;
  style.color = theme?.titleColor ?? ink;
  style.fontFamily = theme?.fontFamily ?? FONT;
  style.borderRadius = theme?.borderRadius === undefined ? "12px" : `min(${theme.borderRadius}, 24px)`;
  const bar = element(
    "div",
    "display:flex;align-items:center;gap:8px;padding-block:4px;padding-inline:16px 4px",
  );
  const heading = element(
    "h2",
    "flex:1;min-width:0;margin:0;font:inherit;color:inherit;outline:0;overflow-wrap:anywhere;hyphens:auto",
    title,
  );
  heading.tabIndex = -1;
  // The dialog cuts off what is outside of it, so the focus ring is inside of the button.
  const button = "border:0;background:none;color:inherit;font:inherit;cursor:pointer;outline-offset:-4px;";
  const close = element("button", `${button}flex:none;width:44px;height:44px;padding:0;border-radius:8px`);
  close.append(cross());
  close.type = "button";
  close.setAttribute("aria-label", closeLabel);
  // A bank's page without colors of its own is meant for white.
  frame.style.cssText = `display:block;width:100%;height:min(${height}px,100vh - 104px);border:0;background:#fff;color-scheme:light`;
  // Some banks forbid frames, and scripts cannot find that out. The shopper sees an empty frame and can use this.
  const newWindow = element(
    "button",
    `${button}display:block;width:100%;min-height:44px;font-size:14px;font-weight:400;text-decoration:underline`,
    windowLabel,
  );
  newWindow.type = "button";
  newWindow.addEventListener("click", openWindow);
  bar.append(heading, close);
  dialog.append(bar, frame, newWindow);

  close.addEventListener("click", () => end("canceled"));
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    end("canceled");
  });
  document.body.append(dialog);
  const before = document.activeElement;
  dialog.showModal();
  // Not the close button, which the dialog would focus: a second Enter would cancel the payment.
  heading.focus();

  return () => {
    dialog.close();
    dialog.remove();
    // A closed dialog gives the focus back, but Chromium's not to a frame. Enter is pressed in the form's.
    if (before instanceof HTMLElement) {
      before.focus();
    }
  };
}

/** The icon of the close button, as on the payment page. */
function cross(): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const icon = document.createElementNS(space, "svg");
  icon.style.cssText = "display:block;margin:auto;width:18px;fill:none;stroke:currentColor";
  icon.setAttribute("viewBox", "0 0 16 16");
  icon.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", "m4 4 8 8m0-8-8 8");
  line.style.cssText = "stroke-width:1.75;stroke-linecap:round";
  icon.append(line);
  return icon;
}

function element<Name extends keyof HTMLElementTagNameMap>(name: Name, css: string, text = "") {
  const made = document.createElement(name);
  // Through the CSSOM, because a strict content security policy forbids the style attribute.
  made.style.cssText = css;
  made.textContent = text;
  return made;
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
  const isText = host.startsWith("text ");
  if (!context || !host.includes("(")) {
    return false;
  }
  context.fillStyle = isText ? host.slice("text ".length) : host;
  context.fillRect(0, 0, 1, 1);
  const linear = Array.from(context.getImageData(0, 0, 1, 1).data, (byte) => (byte / 255) ** 2.2);
  const [red = 1, green = 1, blue = 1] = linear;
  const isDark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < DARK_LUMINANCE_MAX;
  // Light text stands on a dark background.
  return isDark !== isText;
}
