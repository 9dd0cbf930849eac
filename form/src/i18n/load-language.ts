// Loads the texts of another language (docs/languages.md#changing-it-in-the-open-form). This script is itself loaded when
// it is needed.

import { LANGUAGE_COOKIE } from "../../generated/language-cookie.ts";
import { DEFAULT_LOCALE } from "../../generated/rules.ts";
import type { FormPage, LocaleStrategy, PageContext } from "../../generated/wire.ts";
import type { LanguageStore } from "./language.ts";
import type { Language } from "./text.ts";

/** The form of a language tag; the longest ones in use have 35 characters. */
const TAG = /^[a-z]{2,8}(-[a-z0-9]{1,8}){0,4}$/i;
const NOT_FOUND = 404;

let changes = 0;

/**
 * Loads the language for `tag` and shows the page in it, unless another one was requested meanwhile. Texts, amount,
 * `lang`, `dir` and title change together; typed text stays. The parent requests it, or the shopper in the menu of the
 * payment page.
 */
export async function changeLanguage(tag: string, page: FormPage, language: LanguageStore): Promise<void> {
  const { context, intent, standalone } = page;
  changes += 1;
  const change = changes;
  const [loaded, amount] = await Promise.all([
    loadLanguage(tag, context.build_id),
    loadAmount(tag, intent.amountCurrency, intent.amountValue),
  ]);
  // If two changes are under way the later one wins, whichever file comes first.
  if (loaded === null || change !== changes) {
    return;
  }
  // Other parts of the page hold it. If the charge has changed meanwhile, this is not its amount.
  if (amount !== null && page.intent === intent) {
    page.amount_text = amount;
  }
  language.set(loaded);
  keepLanguage(loaded.locale, context);
  document.documentElement.lang = loaded.iso;
  document.documentElement.dir = loaded.dir;
  // The payment page sets its title itself.
  if (!standalone) {
    document.title = language.text()("pay_with_card");
  }
}

/** The language nearest to `named`, such as "fr-FR" or "fr_CA". Null, with a line on the console, if it cannot be loaded. */
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

/** The message does not repeat the tag, which is untrusted text from the parent. */
function missing(): null {
  console.warn("Cardform: there are no texts for the locale that was asked for.");
  return null;
}

/** The amount in the locale's format, from the server; null if it cannot be loaded. */
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

/** Keeps the language for a reload: in the cookie and, where languages have addresses, in the page's address. */
function keepLanguage(locale: string, context: PageContext): void {
  try {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that pays.
    document.cookie = `${LANGUAGE_COOKIE}=${locale}; ${context.locale_cookie}`;
  } catch {
    // In a frame without storage the language is kept only while the page is open.
  }
  if (context.locale_strategy !== "no_prefix") {
    const { search, hash } = location;
    history.replaceState(history.state, "", pathOf(context.locale_strategy, locale) + search + hash);
  }
}

/** The path of the form in `locale`, as `crates/page/src/locale_routes.rs` has it. */
function pathOf(strategy: LocaleStrategy, locale: string): string {
  return strategy === "prefix_except_default" && locale === DEFAULT_LOCALE ? "/" : `/${locale}`;
}
