// The foot of the payment page: the link to leave without paying, and the language menu with every language under its own
// name. Typed text stays when another language is chosen.

import { LOCALES } from "../../generated/locales.ts";
import type { FormPage } from "../../generated/wire.ts";
import type { LanguageStore } from "../i18n/language.ts";
import { useForm } from "./store.ts";
import { useText } from "./text.ts";

interface PageFootProps {
  readonly page: FormPage;
  readonly language: LanguageStore;
}

export function PageFoot({ page, language }: PageFootProps) {
  const text = useText();
  const isOpen = useForm(({ submission }) => submission.phase === "open");
  const wayOut = useForm(({ charge }) => charge?.cancel_url) ?? page.payee?.website;
  return (
    <div className="page-foot">
      {wayOut && isOpen && (
        <a className="cancel-payment" id="cancel-payment" href={wayOut}>
          {text("cancel_payment")}
        </a>
      )}
      <LanguageMenu page={page} language={language} />
    </div>
  );
}

/** Every language under its own name. Asking the browser for the names takes a while, so it is done once. */
const LANGUAGES = LOCALES.map(({ code, iso }) => (
  <option key={code} value={code} lang={iso}>
    {ownName(iso)}
  </option>
));

function LanguageMenu({ page, language }: PageFootProps) {
  const text = useText();
  const change = async (locale: string) => {
    const { changeLanguage } = await import("../i18n/load-language.ts");
    await changeLanguage(locale, page, language);
  };
  return (
    <label className="language-menu">
      <svg className="icon line-drawing" viewBox="0 0 16 16" strokeWidth={1.3} aria-hidden="true">
        <path d="M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM1.5 8h13M8 1.5c2.2 2 2.9 4.2 2.9 6.5S10.2 12.5 8 14.5C5.8 12.5 5.1 10.3 5.1 8S5.8 3.5 8 1.5Z" />
      </svg>
      <span className="visually-hidden">{text("language")}</span>
      <select
        id="language"
        value={language.current().locale}
        onChange={(event) => void change(event.currentTarget.value)}
      >
        {LANGUAGES}
      </select>
    </label>
  );
}

/** The language's own name: "Español (Argentina)". Its tag, if the browser does not know it. */
function ownName(iso: string): string {
  try {
    const names = new Intl.DisplayNames([iso], { type: "language", languageDisplay: "standard" });
    const name = names.of(iso) ?? iso;
    return name.charAt(0).toLocaleUpperCase(iso) + name.slice(1);
  } catch {
    return iso;
  }
}
