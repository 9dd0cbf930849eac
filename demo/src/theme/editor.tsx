// The editor: every key of the theme, by part of the form. Above the single fields stand the keys of all fields at once.

import { useId, useState } from "react";
import { hexOf, parseColor } from "./color.ts";
import { colorByName } from "./color-names.ts";
import type { Theme } from "./theme.ts";
import { FIELD_KEYS, fieldPaths, TOKENS, type TokenKind, type TokenPath } from "./tokens.ts";

interface EditorProps {
  readonly theme: Theme;
  readonly onChange: (values: Theme) => void;
}

/** The parts in the order of the editor, by the beginning of their keys' paths. */
const PARTS = [
  ["Form", "children.cardForm."],
  ["Pay button of the payment page", "children.payButton."],
  ["Page and fonts", ""],
  ["Save-card checkbox", "children.cardForm.children.cardCheckbox."],
  ["Saved cards", "children.cardForm.children.savedCards."],
  ["Card number", "children.cardForm.children.cardNumber."],
  ["Expiry", "children.cardForm.children.cardExpiry."],
  ["Security code", "children.cardForm.children.cardSecurityCode."],
  ["Name", "children.cardForm.children.cardHolderName."],
  ["Email", "children.cardForm.children.cardHolderEmail."],
] as const;

export function Editor({ theme, onChange }: EditorProps) {
  return (
    <section className="panel editor" aria-labelledby="editor-title">
      <h2 id="editor-title">Theme</h2>
      <details open>
        <summary>All fields</summary>
        {FIELD_KEYS.map((key) => {
          const paths = fieldPaths(key);
          const values = new Set(paths.map((path) => theme[path] ?? ""));
          return (
            <Row
              key={key}
              part="All fields"
              name={key}
              kind="color"
              value={values.size === 1 ? ([...values][0] ?? "") : ""}
              placeholder={values.size === 1 ? "default" : "several"}
              onChange={(value) => onChange(Object.fromEntries(paths.map((path) => [path, value])))}
            />
          );
        })}
      </details>
      {PARTS.map(([part, start], index) => (
        <details key={part} open={index === 0}>
          <summary>{part}</summary>
          {TOKENS.filter(({ path }) => path.slice(0, path.lastIndexOf(".") + 1) === start).map(
            ({ path, kind }) => (
              <Row
                key={path}
                part={part}
                name={path.slice(start.length)}
                kind={kind}
                path={path}
                value={theme[path] ?? ""}
                placeholder="default"
                onChange={(value) => onChange({ [path]: value })}
              />
            ),
          )}
        </details>
      ))}
    </section>
  );
}

interface RowProps {
  readonly part: string;
  readonly name: string;
  readonly kind: TokenKind;
  readonly path?: TokenPath;
  readonly value: string;
  readonly placeholder: string;
  readonly onChange: (value: string) => void;
}

/** What CSS must accept as a value of each kind. */
const PROPERTIES: Readonly<Partial<Record<TokenKind, string>>> = {
  color: "color",
  length: "width",
  lengths: "padding",
  "font-family": "font-family",
  weight: "font-weight",
};

function isUsable(kind: TokenKind, value: string): boolean {
  const property = PROPERTIES[kind];
  if (kind === "fonts" && value !== "") {
    try {
      return Array.isArray(JSON.parse(value));
    } catch {
      return false;
    }
  }
  return value.trim() === "" || property === undefined || CSS.supports(property, value);
}

function Row({ part, name, kind, path, value, placeholder, onChange }: RowProps) {
  const id = useId();
  const isWrong = !isUsable(kind, value);
  const color = kind === "color" ? parseColor(value, colorByName) : null;
  return (
    <div className="row" data-path={path} data-kind={kind}>
      <label htmlFor={id}>
        <span className="visually-hidden">{part}: </span>
        {name}
      </label>
      {kind === "color" && (
        <input
          type="color"
          aria-label={`${part}: ${name}, picker`}
          value={color ? hexOf(color) : "#808080"}
          data-unset={color === null}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
      {kind === "label-style" ? (
        <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">default</option>
          <option value="above">above</option>
          <option value="floating">floating</option>
        </select>
      ) : (
        <Draft
          id={id}
          value={value}
          placeholder={kind === "fonts" ? '[{"family":"Inter","src":"https://…"}]' : placeholder}
          isWrong={isWrong}
          onChange={onChange}
        />
      )}
    </div>
  );
}

interface DraftProps {
  readonly id: string;
  readonly value: string;
  readonly placeholder: string;
  readonly isWrong: boolean;
  readonly onChange: (value: string) => void;
}

/** A text input. A value that is none is marked, and the form ignores it. */
function Draft({ id, value, placeholder, isWrong, onChange }: DraftProps) {
  const [hasFocus, setHasFocus] = useState(false);
  const says = `${id}-wrong`;
  const shown = isWrong && !hasFocus;
  return (
    <span className="value">
      <input
        id={id}
        type="text"
        value={value}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={shown}
        aria-describedby={shown ? says : undefined}
        onFocus={() => setHasFocus(true)}
        onBlur={() => setHasFocus(false)}
        onChange={({ target }) => onChange(target.value)}
      />
      {shown && (
        <span className="wrong" id={says}>
          Not a value; ignored
        </span>
      )}
    </span>
  );
}
