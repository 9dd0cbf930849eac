// The whole page: presets, preview, editor, contrast and code. The theme is in the page's address, so that it can be shared.

import { useEffect, useState } from "react";
import { Contrast } from "./contrast-list.tsx";
import { Editor } from "./editor.tsx";
import { ImportColors } from "./import-colors.tsx";
import { Output } from "./output.tsx";
import { Presets } from "./preset-list.tsx";
import { pairOf } from "./presets.ts";
import { usePreview } from "./preview.tsx";
import { linkOf, type Mode, pairOfLink, type Theme, type ThemePair } from "./theme.ts";
import { KINDS, type TokenPath } from "./tokens.ts";

interface Playing {
  readonly pair: ThemePair;
  readonly mode: Mode;
}

function atFirst(): Playing {
  const mode = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  return pairOfLink(location.hash) ?? { pair: pairOf(0), mode };
}

export function Playground() {
  const [{ pair, mode }, setPlaying] = useState(atFirst);
  const theme = pair[mode];
  const preview = usePreview({ theme, mode, onMode: (mode) => setPlaying({ pair, mode }) });

  useEffect(() => {
    const onHashChange = () => {
      const read = pairOfLink(location.hash);
      if (read) {
        setPlaying(read);
      }
    };
    window.addEventListener("hashchange", onHashChange);
    return () => window.removeEventListener("hashchange", onHashChange);
  }, []);

  const link = linkOf(pair, mode);
  useEffect(() => {
    // Browsers allow only so many changes of the address in a short time.
    const timer = setTimeout(() => history.replaceState(null, "", `#${link}`), 300);
    return () => clearTimeout(timer);
  }, [link]);

  /** Colors belong to one mode, everything else to both. */
  function change(values: Theme): void {
    const shared = Object.fromEntries(
      Object.entries(values).filter(([path]) => KINDS.get(path as TokenPath) !== "color"),
    );
    setPlaying(({ pair, mode }) => {
      const other = mode === "light" ? "dark" : "light";
      return {
        mode,
        pair: {
          ...pair,
          [other]: { ...pair[other], ...shared },
          [mode]: { ...pair[mode], ...values },
        } as ThemePair,
      };
    });
  }

  return (
    <>
      <header className="masthead">
        <div className="masthead-inner">
          <h1 className="brand">Theme playground</h1>
          <a href="/demo">Demo shop</a>
        </div>
      </header>
      <main className="page">
        <Presets
          pair={pair}
          mode={mode}
          onChoose={(pair, only) => setPlaying((before) => ({ pair, mode: only ?? before.mode }))}
        />
        <div className="workbench">
          {preview.form}
          <div className="inspector">
            <Editor theme={theme} onChange={change} />
            <ImportColors onImport={change} />
          </div>
          {preview.states}
        </div>
        <Contrast theme={theme} mode={mode} onRepair={change} />
        <Output pair={pair} mode={mode} link={link} />
      </main>
      <footer className="footer">
        <p>The preview is the real form with test data. Nothing you enter leaves this server.</p>
      </footer>
    </>
  );
}
