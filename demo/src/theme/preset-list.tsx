// The presets, each with its colors.

import { PRESETS, pairOf } from "./presets.ts";
import type { Mode, ThemePair } from "./theme.ts";

interface PresetsProps {
  readonly pair: ThemePair;
  readonly mode: Mode;
  /** `mode` is the preset's only mode, or else the present one. */
  readonly onChoose: (pair: ThemePair, mode: Mode) => void;
}

export function Presets({ pair, mode, onChoose }: PresetsProps) {
  const current = JSON.stringify(pair);
  return (
    <section className="presets" aria-label="Presets">
      {PRESETS.map((preset) => {
        const own = pairOf(preset);
        const { payButton, cardForm } = own[mode].children ?? {};
        return (
          <button
            key={preset.name}
            type="button"
            className="preset"
            aria-pressed={JSON.stringify(own) === current}
            onClick={() => onChoose(own, preset.themes.light ? mode : "dark")}
          >
            <span className="preset-colors" aria-hidden="true">
              <Swatch color={payButton?.backgroundColor} />
              <Swatch color={cardForm?.children?.cardNumber?.backgroundColor} />
              <Swatch color={cardForm?.titleColor} />
            </span>
            {preset.name}
          </button>
        );
      })}
    </section>
  );
}

function Swatch({ color }: { readonly color: string | undefined }) {
  return <span className="swatch" style={{ backgroundColor: color }} />;
}
