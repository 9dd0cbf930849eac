// Makes a theme from the colors of an existing page.

import { useState } from "react";
import { paletteTheme } from "./palette.ts";
import { paletteOf } from "./read-colors.ts";
import { Swatch } from "./swatch.tsx";
import type { Theme } from "./theme.ts";

export function ImportColors({ onImport }: { readonly onImport: (theme: Theme) => void }) {
  const [text, setText] = useState("");
  const palette = text.trim() === "" ? null : paletteOf(text);
  return (
    <section className="panel" aria-labelledby="import-title">
      <h2 id="import-title">Your page’s colors</h2>
      <label className="hint" htmlFor="import-text">
        Paste CSS, custom properties, or a list of colors. They become a theme that passes WCAG AA.
      </label>
      <textarea
        id="import-text"
        rows={5}
        spellCheck={false}
        placeholder={":root {\n  --background: #fffaf0;\n  --primary: #0a7a5a;\n  --text: #222;\n}"}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="import-result" role="status">
        {palette && (
          <span className="import-colors">
            {Object.entries(palette).map(([name, color]) => (
              <span key={name} className="import-color">
                <Swatch color={color} />
                {name}
              </span>
            ))}
          </span>
        )}
        {text.trim() !== "" && !palette && <span>There is no color in this text.</span>}
      </div>
      <button
        className="quiet-button"
        id="import-use"
        type="button"
        disabled={!palette}
        onClick={() => palette && onImport(paletteTheme(palette))}
      >
        Use these colors
      </button>
    </section>
  );
}
