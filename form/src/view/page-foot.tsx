// The title and the foot of the payment page: the link to leave without paying, the color mode, and the language menu with
// every language under its own name. Typed text stays when another language is chosen.

import { useState } from "react";

import type { FormPage } from "../../generated/wire.ts";
import type { LanguageStore } from "../i18n/language.ts";
import { chooseColorMode, shownColorMode } from "../theme/choose-color-mode.ts";
import { usePageTitle } from "./outcome.tsx";
import { OWN_LANGUAGE_NAMES } from "./own-language-names.ts";
import { useForm, useText } from "./store.ts";

interface PageFootProps {
  readonly page: FormPage;
  readonly language: LanguageStore;
}

export function PageFoot({ page, language }: PageFootProps) {
  const text = useText();
  usePageTitle(page);
  const isOpen = useForm(({ submission }) => submission.phase === "open");
  const wayOut = useForm(({ charge }) => charge?.cancel_url) ?? page.payee?.website;
  return (
    <div className="page-foot">
      {wayOut && isOpen && (
        <a className="cancel-payment" id="cancel-payment" href={wayOut}>
          {text("cancel_payment")}
        </a>
      )}
      <PageMenus page={page} language={language} />
    </div>
  );
}

/** The color mode and the language. */
export function PageMenus({ page, language }: PageFootProps) {
  return (
    <>
      <ColorModeMenu />
      <LanguageMenu page={page} language={language} />
    </>
  );
}

const COLOR_MODES = [
  ["system", "color_mode_system"],
  ["light", "color_mode_light"],
  ["dark", "color_mode_dark"],
] as const;

function ColorModeMenu() {
  const text = useText();
  const [mode, setMode] = useState(shownColorMode);
  const change = (chosen: string) => {
    chooseColorMode(chosen);
    setMode(chosen);
  };
  return (
    <label className="color-mode-menu">
      <span className="visually-hidden">{text("color_mode")}</span>
      <select id="color-mode" value={mode} onChange={(event) => change(event.currentTarget.value)}>
        {COLOR_MODES.map(([name, label]) => (
          <option key={name} value={name}>
            {text(label)}
          </option>
        ))}
      </select>
    </label>
  );
}

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
        {OWN_LANGUAGE_NAMES.map(([code, name, lang = code]) => (
          <option key={code} value={code} lang={lang}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
