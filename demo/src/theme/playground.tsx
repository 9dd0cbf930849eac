// The whole page: presets, preview, JSON and code. The theme is in the page's address, so that it can be shared.

import { useEffect, useState } from "react";
import { Output } from "./output.tsx";
import { Presets } from "./preset-list.tsx";
import { PRESETS, pairOf } from "./presets.ts";
import { type Direction, Preview, States } from "./preview.tsx";
import { StyleJson } from "./style-json.tsx";
import { linkOf, type Mode, pairOfLink, type Theme, type ThemePair } from "./theme.ts";
import { useThemeReport } from "./theme-report.ts";

interface Playing {
  readonly pair: ThemePair;
  readonly mode: Mode;
}

/** How long the theme must stay unchanged before it is shown, in milliseconds. */
const REST_MS = 200;
/** How long it must stay unchanged before it is in the address. Browsers limit how often an address may change. */
const LINK_MS = 300;

function atFirst(): Playing {
  const mode = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  return pairOfLink(location.hash) ?? { pair: pairOf(PRESETS[0]), mode };
}

/** The value as it was when it last stayed unchanged for `ms` milliseconds. */
function useRested<Value>(value: Value, ms: number): Value {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}

export function Playground() {
  const [{ pair, mode }, setPlaying] = useState(atFirst);
  const [direction, setDirection] = useState<Direction>("ltr");
  const theme = pair[mode];
  const shown: Theme = useRested(theme, REST_MS);
  const report = useThemeReport(shown, mode);
  const look = { theme: shown, mode, direction };

  useEffect(() => {
    const onHashChange = () => setPlaying((before) => pairOfLink(location.hash) ?? before);
    window.addEventListener("hashchange", onHashChange);
    return () => window.removeEventListener("hashchange", onHashChange);
  }, []);

  const link = linkOf(pair, mode);
  const restedLink = useRested(link, LINK_MS);
  useEffect(() => history.replaceState(null, "", `#${restedLink}`), [restedLink]);

  return (
    <>
      <header className="masthead">
        <div className="masthead-inner">
          <h1 className="brand">Theme playground</h1>
          <a href="/demo">Demo shop</a>
        </div>
      </header>
      <main className="page">
        <Presets pair={pair} mode={mode} onChoose={(pair, mode) => setPlaying({ pair, mode })} />
        <div className="workbench">
          <Preview {...look} onMode={(mode) => setPlaying({ pair, mode })} onDirection={setDirection} />
          <div className="inspector">
            <StyleJson
              key={mode}
              theme={theme}
              mode={mode}
              report={report}
              onChange={(theme) => setPlaying({ pair: { ...pair, [mode]: theme }, mode })}
            />
          </div>
          <States {...look} />
        </div>
        <Output pair={pair} link={link} />
      </main>
      <footer className="footer">
        <p>The preview is the real form with test data. Nothing you enter leaves this server.</p>
      </footer>
    </>
  );
}
