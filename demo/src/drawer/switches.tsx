// The switches of the developer's drawer.

import { useId } from "react";
import {
  DIRECTIONS,
  EXPERIMENTS,
  type Experiment,
  LANGUAGES,
  LAYOUTS,
  SHOP_THEME,
  type ShopSettings,
  THEMES,
} from "./settings.ts";

export interface SwitchesProps {
  readonly settings: ShopSettings;
  readonly onChange: (settings: ShopSettings) => void;
}

const DIRECTION_NAMES = { auto: "As the language", ltr: "Left to right", rtl: "Right to left" };
const LAYOUT_NAMES = { embedded: "In the shop", page: "Payment page" };
const THEME_NAMES: Readonly<Record<string, string>> = { [SHOP_THEME]: "The shop’s own" };

export function Switches({ settings, onChange }: SwitchesProps) {
  const set = (part: Partial<ShopSettings>) => onChange({ ...settings, ...part });
  return (
    <div className="switches">
      <Choice
        name="language"
        label="Language"
        value={settings.locale}
        options={[["", "The shopper’s own"], ...LANGUAGES.map((tag) => [tag, languageName(tag)] as const)]}
        onChoose={(locale) => set({ locale })}
      />
      <Choice
        name="direction"
        label="Direction"
        value={settings.dir}
        options={DIRECTIONS.map((dir) => [dir, DIRECTION_NAMES[dir]] as const)}
        onChoose={(dir) => set({ dir })}
      />
      <Choice
        name="theme"
        label="Theme"
        value={settings.theme}
        options={THEMES.map((theme) => [theme, THEME_NAMES[theme] ?? theme] as const)}
        onChoose={(theme) => set({ theme })}
      />
      <Choice
        name="layout"
        label="Layout"
        value={settings.layout}
        options={LAYOUTS.map((layout) => [layout, LAYOUT_NAMES[layout]] as const)}
        onChoose={(layout) => set({ layout })}
      />
      <details className="experiments">
        <summary>Experiments</summary>
        <ul>
          {(Object.keys(EXPERIMENTS) as Experiment[]).map((experiment) => (
            <li key={experiment}>
              <label>
                <input
                  type="checkbox"
                  name={experiment}
                  checked={!settings.off.includes(experiment)}
                  onChange={({ currentTarget }) => {
                    const others = settings.off.filter((name) => name !== experiment);
                    set({ off: currentTarget.checked ? others : [...others, experiment] });
                  }}
                />
                {EXPERIMENTS[experiment]}
              </label>
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}

interface SwitchChoiceProps<Value extends string> {
  readonly name: string;
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, name: string])[];
  readonly onChoose: (value: Value) => void;
}

function Choice<Value extends string>({ name, label, value, options, onChoose }: SwitchChoiceProps<Value>) {
  const id = useId();
  return (
    <div className="switch">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        name={name}
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value as Value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

const NAMES = new Intl.DisplayNames(["en"], { type: "language", languageDisplay: "standard" });

/** In English, as the drawer is; `in` is the older code of Indonesian, and the texts of `ku-KZ` are Russian. */
function languageName(tag: string): string {
  return tag === "ku-KZ" ? "Russian (Kazakhstan)" : (NAMES.of(tag.replace(/^in-/, "id-")) ?? tag);
}
