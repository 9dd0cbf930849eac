// The page in the browser: hydrates what the server rendered, or renders the page if the server could not.

import "./styles.ts";

import { flushSync } from "react-dom";
import { createRoot, hydrateRoot, type RootOptions } from "react-dom/client";

import type { FormPage, Page } from "../generated/wire.ts";
import { runEffects } from "./effects.ts";
import { formConfig } from "./form-config.ts";
import { createFormStore, today } from "./form-store.ts";
import { createLanguageStore } from "./i18n/language.ts";
import { tellOfLoadError } from "./parent/channel.ts";
import { applyColorMode } from "./theme/color-mode.ts";
import { createBacklog } from "./tracking/backlog.ts";
import { FormApp } from "./view/app.tsx";
import { earlyInputs } from "./view/early-inputs.ts";

/** How long after the page can be used the deferred script is fetched (docs/form.md#newer-builds). */
const DEFERRED_MS = 1_000;

// The text for a script that never starts (crates/page/src/html.rs).
document.querySelector(".stalled-script")?.remove();
const root = document.getElementById("root");
const data = document.getElementById("page");
if (root === null || data === null) {
  throw new Error("this document is not a Cardform page");
}
const page = JSON.parse(data.textContent) as Page;
/** Stops every effect of a form that has failed, and returns whether a payment is under way. */
let stopEffects = () => false;
try {
  start(root, page);
} catch (error) {
  failed(root, error);
}

function start(root: HTMLElement, page: Page): void {
  Object.assign(window, { cardformVersion: page.context.version });
  if (page.page === "form") {
    // Some browsers do not tell the server whether there is a parent frame; here it is known.
    const known = { ...page, standalone: page.standalone && window.parent === window };
    const fail = (error: unknown) => failed(root, error);
    const options: RootOptions = { onUncaughtError: fail };
    if (page.intent.cardSession) {
      void import("./card-page.tsx").then(
        (script) => script.showCardPage(createRoot(root, options), known),
        fail,
      );
      return;
    }
    const app = formApp(root, known);
    // The server may have drawn the payment page although the form is in a frame; then it is drawn anew.
    root.hasChildNodes() && known.standalone === page.standalone
      ? hydrateRoot(root, app, options)
      : createRoot(root, options).render(app);
    return;
  }
  if (!root.hasChildNodes()) {
    // An error page needs the script only if the server could not render it.
    void import("./view/error-page.tsx").then((script) =>
      createRoot(root).render(<script.ErrorApp page={page} />),
    );
  }
  tellOfLoadError(window, page.status < 500 ? "payload-refused" : "page-unavailable");
}

/** Whether an error page has replaced the form. One fault can throw in several places. */
let hasFailed = false;

/** The form has failed: an error page replaces it, the parent gets a message, and typed text is lost. */
function failed(root: HTMLElement, error: unknown): void {
  reportError(error);
  if (hasFailed) {
    return;
  }
  hasFailed = true;
  const text = stopEffects() ? "may_have_paid" : "page_unavailable";
  // Later, so that React has removed its elements.
  queueMicrotask(() => {
    const texts = page.context.messages as Partial<Record<string, string>> | null;
    const main = document.createElement("main");
    main.className = "error-page";
    const heading = main.appendChild(document.createElement("h1"));
    heading.className = "error-description";
    heading.textContent = texts?.[text] ?? "";
    root.replaceChildren(main);
    tellOfLoadError(window, "script-failed");
  });
}

function formApp(root: HTMLElement, page: FormPage) {
  applyColorMode(document.documentElement, page.options.color_mode, page.standalone);
  const keepTyped = earlyInputs();
  const backlog = createBacklog();
  addEventListener("click", backlog.add);
  const store = createFormStore(formConfig(page), {
    today,
    drawn: flushSync,
    onStep: backlog.add,
  });
  stopEffects = () => {
    const isOpen = store.state().submission.phase === "open";
    // A payment that is under way continues until its outcome is known.
    if (isOpen) {
      store.onEffect(() => {});
    }
    return !isOpen;
  };
  const language = createLanguageStore(page.context, flushSync, page.options.texts);
  let running = false;
  const onReady = () => {
    // After React's own work: effects draw at once, which must not happen while React is working.
    queueMicrotask(() => {
      if (!running) {
        running = true;
        keepTyped();
        try {
          const lookUps = runEffects(page, store, language);
          setTimeout(
            () =>
              void import("./deferred.ts").then(
                (script) => script.startDeferred(page, store, lookUps, backlog.listen),
                // If it cannot be loaded, the form works without it.
                Boolean,
              ),
            DEFERRED_MS,
          );
        } catch (error) {
          failed(root, error);
        }
      }
    });
  };
  return <FormApp page={page} store={store} language={language} onReady={onReady} />;
}
