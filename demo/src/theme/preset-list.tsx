// The presets, each with its colors.

import { PRESETS, pairOf } from "./presets.ts";
import { Swatch } from "./swatch.tsx";
import type { Mode, ThemePair } from "./theme.ts";

interface PresetsProps {
  readonly pair: ThemePair;
  readonly mode: Mode;
  /** `only` is the preset's mode, if it has but one. */
  readonly onChoose: (pair: ThemePair, only: Mode | undefined) => void;
}

export function Presets({ pair, mode, onChoose }: PresetsProps) {
  const current = JSON.stringify(pair);
  return (
    <section className="presets" aria-label="Presets">
      {PRESETS.map(({ name, themes }, index) => {
        const own = pairOf(index);
        const { payButton, cardForm } = own[mode].children ?? {};
        return (
          <button
            key={name}
            type="button"
            className="preset"
            aria-pressed={JSON.stringify(own) === current}
            onClick={() => onChoose(own, themes.light ? undefined : "dark")}
          >
            <span className="preset-colors" aria-hidden="true">
              <Swatch color={payButton?.backgroundColor} />
              <Swatch color={cardForm?.children?.cardNumber?.backgroundColor} />
              <Swatch color={cardForm?.titleColor} />
            </span>
            {name}
          </button>
        );
      })}
    </section>
  );
}
