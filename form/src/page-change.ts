// Changes the open page in place (docs/messages.md#changes-in-place): theme, options, or the charge, whose merchant has
// changed it. The server describes the page anew. What is typed stays, because the inputs stay.

import { PAGE_UPDATE_HEADER } from "../generated/page-update.ts";
import type { FormPage, FromParent, PageUpdate } from "../generated/wire.ts";
import { formConfig } from "./form-config.ts";
import type { FormStore } from "./form-store.ts";
import type { LanguageStore } from "./i18n/language.ts";
import { reportTheme } from "./theme/report.ts";

/** What the parent wants changed. */
export type PageChange = Extract<FromParent, { type: "page-change" }>;

/** What a change needs from the rest of the page. */
export interface ChangedPage {
  /** Changed in place, so that whoever holds it sees the new one. */
  readonly page: FormPage;
  readonly store: FormStore;
  readonly language: LanguageStore;
  /** The embedding page's origin, whose web fonts a theme may name. */
  readonly parentOrigin: string | null;
}

/** One change at a time, in the order in which they were asked for. */
let last: Promise<unknown> = Promise.resolve();

/** Whether the page shows the change. While a payment is under way it waits, and a form that is finished does not change. */
export function changePageInPlace(change: PageChange, changed: ChangedPage): Promise<boolean> {
  const done = last.then(() => changeNow(change, changed)).catch(() => false);
  last = done;
  return done;
}

async function changeNow(change: PageChange, { page, store, language, parentOrigin }: ChangedPage) {
  if (!(await untilOpen(store))) {
    return false;
  }
  const search = changedSearch(window.location.search, change, page.cookie_id);
  const { pathname, hash } = window.location;
  const response = await fetch(pathname + search, { headers: { [PAGE_UPDATE_HEADER]: parentOrigin ?? "" } });
  if (!response.ok) {
    return false;
  }
  const { page: next, theme, color_mode } = (await response.json()) as PageUpdate;
  if (!(await untilOpen(store))) {
    return false;
  }
  const address = pathname + search + hash;
  if (!isSameCharge(page, next)) {
    // Nothing of the page can stay. The new one says `user-loaded`.
    window.location.replace(address);
    return true;
  }
  // A reload shows the same.
  window.history.replaceState(window.history.state, "", address);
  const { context, cookie_id, standalone } = page;
  Object.assign(page, next, { context, cookie_id, standalone });
  store.configure(formConfig(page));
  showTheme(theme);
  document.documentElement.dataset.colorMode = color_mode;
  reportTheme(page.theme);
  // Before new fields are drawn, so that they begin with their prefilled texts.
  store.send({ type: "configured" });
  // This draws every component again, because each has texts.
  language.setOwnTexts(page.options.texts);
  return true;
}

/** The page's address with the changed parts. Parts that stay are not decoded, so that they stay as they are. */
export function changedSearch(search: string, change: PageChange, cookieId: string): string {
  const parts = {
    payload: change.payload,
    options: change.options && withCookieId(change.options, cookieId),
    customStyle: change.custom_style,
  };
  const given = Object.entries(parts).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  const isGiven = (part: string) => given.some(([name]) => part.startsWith(`${name}=`));
  const kept = search.slice(1).split("&");
  const changed = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `?${[...kept.filter((part) => part !== "" && !isGiven(part)), ...changed].join("&")}`;
}

/** The shopper stays in the same experiments. Options that are no object are ignored, as in an address. */
function withCookieId(options: string, cookieId: string): string {
  try {
    return JSON.stringify({ cookie_id: cookieId, ...JSON.parse(options) });
  } catch {
    return options;
  }
}

function isSameCharge({ intent: before }: FormPage, { intent: after }: FormPage): boolean {
  return (
    before.chargeId === after.chargeId &&
    before.partnerId === after.partnerId &&
    before.shopperId === after.shopperId
  );
}

/** Not with a style element: the page's policy allows only the one that came with it. */
function showTheme(theme: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(theme);
  document.adoptedStyleSheets = [sheet];
  for (const style of document.querySelectorAll("head > style")) {
    style.remove();
  }
}

/** Resolves with true when no payment is under way, and with false when the form is finished. */
function untilOpen(store: FormStore): Promise<boolean> {
  return new Promise((resolve) => {
    const look = () => {
      const { phase } = store.state().submission;
      if (phase === "open" || phase === "closed") {
        stop();
        resolve(phase === "open");
      }
    };
    const stop = store.subscribe(look);
    look();
  });
}
