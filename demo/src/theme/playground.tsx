// The whole page: presets, preview, JSON and code. The theme is in the page's address, so that it can be shared.

import { useEffect, useState } from "react";
import { Output } from "./output.tsx";
import { Presets } from "./preset-list.tsx";
import { pairOf } from "./presets.ts";
import { usePreview } from "./preview.tsx";
import { StyleJson } from "./style-json.tsx";
import { linkOf, type Mode, pairOfLink, type Theme, type ThemePair } from "./theme.ts";
import { useThemeReport } from "./theme-report.ts";

interface Playing {
  readonly pair: ThemePair;
  readonly mode: Mode;
}

/** How long the theme must rest before it is shown, in milliseconds. */
const REST_MS = 200;

/** The theme as it was when it last rested. */
function useRested(theme: Theme): Theme {
  const [rested, setRested] = useState(theme);
  useEffect(() => {
    const timer = setTimeout(() => setRested(theme), REST_MS);
    return () => clearTimeout(timer);
  }, [theme]);
  return rested;
}

function atFirst(): Playing {
  const mode = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  return pairOfLink(location.hash) ?? { pair: pairOf(0), mode };
}

export function Playground() {
  const [{ pair, mode }, setPlaying] = useState(atFirst);
  const theme = pair[mode];
  const shown = useRested(theme);
  const report = useThemeReport(shown, mode);
  const preview = usePreview({ theme: shown, mode, onMode: (mode) => setPlaying({ pair, mode }) });

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
            <StyleJson
              key={mode}
              theme={theme}
              mode={mode}
              report={report}
              onChange={(theme) => setPlaying({ pair: { ...pair, [mode]: theme }, mode })}
            />
          </div>
          {preview.states}
        </div>
        <Output pair={pair} link={link} />
      </main>
      <footer className="footer">
        <p>The preview is the real form with test data. Nothing you enter leaves this server.</p>
      </footer>
    </>
  );
}
