// The page on the server: the embedded engine calls it with the page's description and gets the HTML.

import { renderToString } from "react-dom/server";

import type { Page } from "../generated/wire.ts";
import { INITIAL_CARD_PAGE } from "./card/card-page.ts";
import { formConfig } from "./form-config.ts";
import { createFormStore } from "./form-store.ts";
import { createLanguageStore } from "./i18n/language.ts";
import { FormApp } from "./view/app.tsx";
import { CardPage } from "./view/card-page.tsx";
import { ErrorApp } from "./view/error-page.tsx";

/** The HTML of the page that `json`, a `Page`, describes. */
export function render(json: string): string {
  const page = JSON.parse(json) as Page;
  return renderToString(page.page === "form" ? formApp(page) : <ErrorApp page={page} />);
}

function formApp(page: Extract<Page, { page: "form" }>) {
  // Rules that need the date run only when something is typed, and that happens in the browser.
  const environment = { today: () => ({ year: 0, month: 0 }), drawn: () => {} };
  const language = createLanguageStore(page.context, undefined, page.options.texts);
  if (page.intent.cardSession) {
    const list = { state: INITIAL_CARD_PAGE, form: null, send: () => {}, today: environment.today() };
    return <CardPage page={page} language={language} {...list} />;
  }
  const store = createFormStore(formConfig(page), environment);
  return <FormApp page={page} store={store} language={language} />;
}
