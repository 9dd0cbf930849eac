// Every state of the page side by side, in the layout, the direction and the colours that are chosen above.

import { useState } from "react";

import { STATES } from "./states.ts";

const CHOICES = {
  layout: ["redesign", "classic"],
  dir: ["ltr", "rtl"],
  mode: ["light", "dark"],
} as const;

export function GalleryList() {
  const [chosen, choose] = useState<Record<string, string>>({
    layout: "redesign",
    dir: "ltr",
    mode: "light",
  });
  return (
    <main className="gallery">
      <h1>Gallery</h1>
      <form className="gallery-choices">
        {Object.entries(CHOICES).map(([name, values]) => (
          <label key={name}>
            {name}{" "}
            <select
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
        {Object.keys(STATES).map((state) => {
          const address = `/demo/gallery?${new URLSearchParams({ state, ...chosen })}`;
          return (
            <figure key={state} data-state={state}>
              <figcaption>
                <a href={address}>{state}</a>
              </figcaption>
              <iframe src={address} title={state} loading="lazy" />
            </figure>
          );
        })}
      </div>
    </main>
  );
}
