// The page in the browser: takes over what the server rendered, or renders it where the server could not.

import "./styles.ts";

import { flushSync } from "react-dom";
import { createRoot, hydrateRoot, type RootOptions } from "react-dom/client";

import type { FormPage, Page } from "../generated/wire.ts";
import { type LookUps, runEffects } from "./effects.ts";
import { formConfig } from "./form-config.ts";
import { createFormStore } from "./form-store.ts";
import { createLanguageStore } from "./i18n/language.ts";
import { tellOfLoadError } from "./parent/channel.ts";
import { applyColorMode } from "./theme/color-mode.ts";
import { createBacklog } from "./tracking/backlog.ts";
import { FormApp } from "./view/app.tsx";

/** How long after the page can be used it sees to the rest (docs/form.md#newer-builds). */
const WHEN_READY_MS = 1_000;

declare global {
  interface Window {
    /** The application's version. */
    cardformVersion?: string;
  }
}

const root = document.getElementById("root");
const data = document.getElementById("page");
if (root === null || data === null) {
  throw new Error("this document is not a Cardform page");
}
const page = JSON.parse(data.textContent) as Page;
/** Keeps a form that has failed from doing anything more. */
let silence = () => {};
try {
  start(root, page);
} catch (error) {
  failed(root, error);
}

function start(root: HTMLElement, page: Page): void {
  window.cardformVersion = page.context.version;
  if (page.page === "form") {
    // A browser that does not say so leaves the server guessing; here it is known whether there is a parent.
    const known = { ...page, standalone: page.standalone && window.parent === window };
    const app = formApp(root, known);
    const options: RootOptions = { onUncaughtError: (error) => failed(root, error) };
    // What the server drew for a page of its own is not what stands in a frame.
    root.hasChildNodes() && known.standalone === page.standalone
      ? hydrateRoot(root, app, options)
      : createRoot(root, options).render(app);
    return;
  }
  if (!root.hasChildNodes()) {
    // An error page does nothing: only one that the server could not render needs a script.
    void import("./view/error-page.tsx").then(({ ErrorApp }) =>
      createRoot(root).render(<ErrorApp page={page} />),
    );
  }
  tellOfLoadError(window, page.status < 500 ? "payload-refused" : "page-unavailable");
}

/** The form cannot go on: the error page stands in its stead, the parent hears of it, and nothing that was typed is left. */
function failed(root: HTMLElement, error: unknown): void {
  reportError(error);
  silence();
  // After React has taken its own away.
  queueMicrotask(() => {
    const texts = page.context.messages as Partial<Record<string, string>> | null;
    const main = document.createElement("main");
    main.className = "error-page";
    const heading = main.appendChild(document.createElement("h1"));
    heading.className = "error-description";
    heading.textContent = texts?.page_unavailable ?? "";
    root.replaceChildren(main);
    tellOfLoadError(window, "script-failed");
  });
}

function formApp(root: HTMLElement, page: FormPage) {
  applyColorMode(document.documentElement, page.options.color_mode, page.standalone);
  const happened = createBacklog();
  addEventListener("click", happened.tell);
  const store = createFormStore(formConfig(page), {
    today: () => {
      const now = new Date();
      return { year: now.getFullYear(), month: now.getMonth() + 1 };
    },
    drawn: flushSync,
    tell: happened.tell,
  });
  silence = () => {
    // A card that is with the server goes on to its outcome.
    if (store.state().submission.phase === "open") {
      store.onEffect(() => {});
    }
  };
  const language = createLanguageStore(page.context, flushSync);
  let running = false;
  const onReady = () => {
    // After React's own work is done: the effects draw at once, which must not happen inside of it.
    queueMicrotask(() => {
      if (!running) {
        running = true;
        let lookUps: LookUps;
        try {
          lookUps = runEffects(page, store, language);
        } catch (error) {
          failed(root, error);
          return;
        }
        setTimeout(
          () =>
            void import("./when-ready.ts").then(
              ({ whenReady }) => whenReady(page, store, lookUps, happened.listen),
              // Nobody waits for it, should it not come.
              Boolean,
            ),
          WHEN_READY_MS,
        );
      }
    });
  };
  return <FormApp page={page} store={store} language={language} onReady={onReady} />;
}
