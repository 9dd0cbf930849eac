// Every state of the page side by side, with choices for layout, direction, color mode, theme, language, width and text size.

import { useState } from "react";

import { LOCALES } from "../../generated/locales.ts";
import { STATES } from "./states.ts";
import { THEMES } from "./themes.ts";

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  layout: ["redesign", "classic"],
  dir: ["of the language", "ltr", "rtl"],
  mode: ["light", "dark"],
  theme: Object.keys(THEMES),
  locale: LOCALES.map(({ code }) => code),
  width: ["320", "390", "768", "1280"],
  text: ["100", "200"],
};

const FIRST = Object.fromEntries(Object.entries(CHOICES).map(([name, [first = ""]]) => [name, first]));

function addressOf(state: string, { theme = "", dir = "", width: _, ...chosen }: Record<string, string>) {
  const query = new URLSearchParams({
    standalone: String(STATES[state]?.standalone === true),
    customStyle: JSON.stringify(THEMES[theme] ?? {}),
  });
  const choices = new URLSearchParams({ state, ...chosen });
  if (dir === "ltr" || dir === "rtl") {
    choices.set("dir", dir);
  }
  return `/demo/gallery?${query}#${choices}`;
}

export function GalleryList() {
  const [chosen, choose] = useState<Record<string, string>>({ ...FIRST, width: "390", locale: "en-US" });
  return (
    <main className="gallery">
      <h1>Gallery</h1>
      <form className="gallery-choices">
        {Object.entries(CHOICES).map(([name, values]) => (
          <label key={name}>
            {name}{" "}
            <select
              name={name}
              value={chosen[name]}
              onChange={({ target }) => choose((before) => ({ ...before, [name]: target.value }))}
            >
              {values.map((value) => (
                <option key={value}>{value}</option>
              ))}
            </select>
          </label>
        ))}
      </form>
      <div className="gallery-states">
        {Object.keys(STATES).map((state) => (
          <figure key={state} data-state={state}>
            <figcaption>
              <a href={addressOf(state, chosen)}>{state}</a>
            </figcaption>
            <iframe
              src={addressOf(state, chosen)}
              title={state}
              width={Number(chosen.width)}
              loading="lazy"
            />
          </figure>
        ))}
      </div>
    </main>
  );
}
