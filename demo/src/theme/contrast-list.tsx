// The contrast of every pair of colors, those that fail first, with a button that repairs them.

import { hexOf } from "./color.ts";
import { colorByName } from "./color-names.ts";
import { type ContrastPair, contrastPairs, repairedColors } from "./contrast-pairs.ts";
import { Swatch } from "./swatch.tsx";
import type { Mode, Theme } from "./theme.ts";

interface ContrastProps {
  readonly theme: Theme;
  readonly mode: Mode;
  readonly onRepair: (values: Theme) => void;
}

export function Contrast({ theme, mode, onRepair }: ContrastProps) {
  const pairs = contrastPairs(theme, mode, colorByName);
  const failed = pairs.filter(({ ratio, least }) => ratio < least);
  const passed = pairs.filter((pair) => !failed.includes(pair));

  return (
    <section className="panel contrast" aria-labelledby="contrast-title">
      <h2 id="contrast-title">Contrast</h2>
      <p className="hint" id="contrast-summary" role="status" data-failed={failed.length}>
        {failed.length === 0
          ? `All ${pairs.length} pairs pass WCAG AA in ${mode} mode.`
          : `${failed.length} of ${pairs.length} pairs fail WCAG AA in ${mode} mode. The form repairs them when shown; better repair the theme.`}
      </p>
      {failed.length > 0 && (
        <>
          <PairList pairs={failed} />
          <button
            className="quiet-button"
            id="contrast-repair"
            type="button"
            onClick={() => onRepair(repairedColors(theme, mode, colorByName))}
          >
            Repair these colors
          </button>
        </>
      )}
      <details>
        <summary>Pairs that pass ({passed.length})</summary>
        <PairList pairs={passed} />
      </details>
    </section>
  );
}

function PairList({ pairs }: { readonly pairs: readonly ContrastPair[] }) {
  return (
    <ul className="pairs">
      {pairs.map(({ name, color, ground, ratio, least }) => (
        <li key={`${name} ${hexOf(color)} ${hexOf(ground)}`} className="pair" data-passes={ratio >= least}>
          <span className="pair-colors" aria-hidden="true">
            <Swatch color={hexOf(color)} />
            <Swatch color={hexOf(ground)} />
          </span>
          <span className="pair-name">
            {name}
            <span className="pair-codes">
              {hexOf(color)} on {hexOf(ground)}
            </span>
          </span>
          <span className="pair-ratio">
            {(Math.floor(ratio * 100) / 100).toFixed(2)}
            <span className="pair-least">
              {ratio >= least ? " ≥ " : " < "}
              {least}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}
