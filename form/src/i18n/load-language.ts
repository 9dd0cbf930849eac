// Loads the texts of another language (docs/languages.md#changing-it-in-the-open-form). Itself loaded when it
// is needed.

import type { FormPage, LocaleStrategy, PageContext } from "../../generated/wire.ts";
import type { LanguageStore } from "./language.ts";
import type { Language } from "./text.ts";

/** What a tag of a language may look like; the longest that are in use have 35 characters. */
const TAG = /^[a-z]{2,8}(-[a-z0-9]{1,8}){0,4}$/i;
const NOT_FOUND = 404;
/** The locale whose address has no prefix where the others' have one (docs/languages.md#addresses). */
const DEFAULT_LOCALE = "en-US";

/** How many changes were asked for so far. */
let changes = 0;

/**
 * Loads the language for `tag` and speaks it, if no other was asked for meanwhile: texts, amount, `lang`, `dir` and title
 * change in one go, and nothing typed is touched. A parent asks for it, or the shopper in the payment page's menu.
 */
export async function changeLanguage(
  tag: string,
  { context, intent, standalone }: FormPage,
  language: LanguageStore,
): Promise<void> {
  changes += 1;
  const change = changes;
  const [loaded, amount] = await Promise.all([
    loadLanguage(tag, context.build_id),
    standalone ? loadAmount(tag, intent.amountCurrency, intent.amountValue) : null,
  ]);
  // Of two changes on the way the later one counts, whichever file comes first.
  if (loaded === null || change !== changes) {
    return;
  }
  language.set({ ...loaded, amount });
  keepLanguage(loaded.locale, context);
  document.documentElement.lang = loaded.iso;
  document.documentElement.dir = loaded.dir;
  // On the payment page an outcome has given the page its own title by now.
  if (!standalone || document.querySelector(".outcome") === null) {
    document.title = language.text()("pay_with_card");
  }
}

/**
 * Loads the language for `named`, "fr-FR" or "fr_CA": the service finds the nearest locale. Null, and a line on the
 * console, when there is none or when it cannot be loaded; then the page stays in its language.
 */
export async function loadLanguage(named: string, buildId: string): Promise<Language | null> {
  const tag = named.replaceAll("_", "-");
  if (!TAG.test(tag)) {
    return missing();
  }
  try {
    const response = await fetch(`/locales/${buildId}/${tag}.json`);
    if (response.status === NOT_FOUND) {
      return missing();
    }
    if (!response.ok) {
      throw new Error(`status ${response.status}`);
    }
    return readLanguage(await response.json());
  } catch (error) {
    console.error("Failed locale loading", error);
    return null;
  }
}

/** The tag is not repeated: it is whatever the parent sent. */
function missing(): null {
  console.warn("Cardform: there are no texts for the locale that was asked for.");
  return null;
}

/** `value` of `currency` as the locale for `tag` writes it, which the server knows; null when it cannot be had. */
async function loadAmount(tag: string, currency: string, value: string): Promise<string | null> {
  try {
    const response = await fetch(`/amounts/${[tag, currency, value].map(encodeURIComponent).join("/")}`);
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

function readLanguage(answer: unknown): Language {
  const { locale, iso, dir, messages } = answer as Partial<Language>;
  if (!locale || !iso || !dir || typeof messages !== "object") {
    throw new Error("not a message file");
  }
  return { locale, iso, dir, messages };
}

/**
 * Keeps the language for the next visit, in the cookie, and in the address where languages have one: what the page
 * shows, it shows again when it is loaded anew. The query and the fragment stay, and nothing is loaded.
 */
function keepLanguage(locale: string, context: PageContext): void {
  try {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that pays.
    document.cookie = `i18n_redirected=${locale}; ${context.locale_cookie}`;
  } catch {
    // A frame without storage: the language lasts as long as the page.
  }
  if (context.locale_strategy !== "no_prefix") {
    const { search, hash } = window.location;
    window.history.replaceState(
      window.history.state,
      "",
      pathOf(context.locale_strategy, locale) + search + hash,
    );
  }
}

/** The path of the form in `locale`. The server's own copy of this is `crates/page/src/locale_routes.rs`. */
function pathOf(strategy: LocaleStrategy, locale: string): string {
  return strategy === "prefix_except_default" && locale === DEFAULT_LOCALE ? "/" : `/${locale}`;
}
