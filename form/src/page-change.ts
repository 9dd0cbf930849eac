// Changes the open page in place (docs/messages.md#changes-in-place): theme, options, or a charge that the merchant has
// changed. The server describes the page anew. Typed text stays, because the inputs stay.

import { PAGE_UPDATE_HEADER } from "../generated/page-update.ts";
import type { FormPage, FromParent, PageUpdate } from "../generated/wire.ts";
import type { FieldName } from "./card/field.ts";
import type { FormConfig } from "./card/form.ts";
import { formConfig } from "./form-config.ts";
import type { FormStore } from "./form-store.ts";
import type { LanguageStore } from "./i18n/language.ts";
import { writeNotes } from "./notes.ts";

export type PageChange = Extract<FromParent, { type: "page-change" }>;

/** Changes are made one at a time, in the order of their requests. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Changes `page` itself, because other parts of the page hold it. Resolves with whether the page shows the change. While a
 * payment is under way the change waits. A finished form shows only another charge. `parentOrigin` is the origin of the
 * embedding page, whose web fonts a theme may name.
 */
export function changePageInPlace(...change: Parameters<typeof changeNow>): Promise<boolean> {
  const done = last.then(() => changeNow(...change)).catch(() => false);
  last = done;
  return done;
}

async function changeNow(
  change: PageChange,
  page: FormPage,
  store: FormStore,
  language: LanguageStore,
  parentOrigin: string | null,
): Promise<boolean> {
  // Another charge's form also follows a finished one.
  if (!(await untilOpen(store)) && !change.payload) {
    return false;
  }
  const search = changedSearch(window.location.search, change, page.cookie_id);
  const { pathname, hash } = window.location;
  const response = await fetch(pathname + search, { headers: { [PAGE_UPDATE_HEADER]: parentOrigin ?? "" } });
  if (!response.ok) {
    return false;
  }
  const { page: next, theme, color_mode } = (await response.json()) as PageUpdate;
  const isForcedSystem = page.options.color_mode !== "system" && next.options.color_mode === "system";
  const isOpen = await untilOpen(store);
  const address = pathname + search + hash;
  if (!isSameCharge(page, next)) {
    // Nothing of the page can stay. The new page posts `user-loaded`.
    window.location.replace(address);
    // It also answers, because the parent repeats the change: this page cannot pay the other charge.
    return new Promise(() => {});
  }
  if (!isOpen) {
    return false;
  }
  // After a reload the page is still changed.
  window.history.replaceState(window.history.state, "", address);
  const { context, cookie_id, standalone } = page;
  Object.assign(page, next, { context, cookie_id, standalone });
  const { prefill } = store.config;
  store.configure(formConfig(page));
  showTheme(theme);
  if (isForcedSystem) {
    console.warn(
      'Cardform: a change cannot force the color mode "system"; only "light" and "dark" can be forced.',
    );
  } else {
    document.documentElement.dataset.colorMode = color_mode;
  }
  writeNotes(page);
  // Before new fields are drawn, so that they begin with their prefilled texts.
  store.send({ type: "configured", config: withNewPrefill(store.config, prefill) });
  // This draws every component again, because each has texts.
  language.setOwnTexts(page.options.texts);
  return true;
}

/**
 * The settings with the prefilled texts that are new. The shopper may have emptied a field of the others. Only an email that
 * cannot be changed comes back.
 */
function withNewPrefill(config: FormConfig, before: FormConfig["prefill"]): FormConfig {
  const fresh = Object.entries(config.prefill).filter(
    ([name, text]) =>
      before[name as FieldName] !== text || (name === "cardHolderEmail" && config.readOnlyEmail),
  );
  return { ...config, prefill: Object.fromEntries(fresh) };
}

/** The page's address with the changed parts. The other parts are not decoded, so that they are not changed. */
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

/** The options with the cookie id, so that the experiments stay the same. If they are no object, they are unchanged. */
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

/** Shows the theme. A style element cannot be used, because the page's policy allows only the first one. */
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
