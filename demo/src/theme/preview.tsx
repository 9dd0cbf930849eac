// The preview: a real form to type into, which changes in place as in a merchant's page, and the gallery's states.

import { CardForm } from "@cardform/react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { createOrder, fetchClientSecret, type Order } from "../shop-server.ts";
import type { Mode, Theme } from "./theme.ts";

export type Direction = "ltr" | "rtl";

/** How the forms are shown. */
interface Look {
  readonly theme: Theme;
  readonly mode: Mode;
  readonly direction: Direction;
}

interface PreviewProps extends Look {
  readonly onMode: (mode: Mode) => void;
  readonly onDirection: (direction: Direction) => void;
}

/** The form to type into, and how it is shown. */
export function Preview({ onMode, onDirection, ...look }: PreviewProps) {
  return (
    <section className="preview" aria-labelledby="preview-title">
      <div className="preview-head">
        <h2 id="preview-title">Preview</h2>
        <Choice name="mode" value={look.mode} values={{ light: "Light", dark: "Dark" }} onChange={onMode} />
        <Choice
          name="direction"
          value={look.direction}
          values={{ ltr: "Left to right", rtl: "Right to left" }}
          onChange={onDirection}
        />
      </div>
      <RealForm {...look} />
    </section>
  );
}

/** The states of the gallery that are shown, and their titles. */
const STATES = [
  ["empty", "Empty"],
  ["american-express", "Typing"],
  ["wrong-entries", "Errors"],
  ["filled", "Complete"],
  ["save-card", "Saving the card"],
  ["saved-many", "Saved cards"],
  ["page-open", "Payment page"],
] as const;

export function States(look: Look) {
  return (
    <section className="states" aria-label="Every state">
      {STATES.map(([state, title]) => (
        <StateFrame key={state} state={state} title={title} {...look} />
      ))}
    </section>
  );
}

interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly value: Value;
  readonly values: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ name, value, values, onChange }: ChoiceProps<Value>) {
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">Preview: {name}</legend>
      {(Object.entries(values) as [Value, string][]).map(([each, label]) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            value={each}
            checked={each === value}
            onChange={() => onChange(each)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** The form of a charge, as the SDK embeds it in a merchant's page. */
function RealForm({ theme, mode, direction }: Look) {
  const [order, setOrder] = useState<Order | "unavailable" | null>(null);
  useEffect(() => {
    createOrder("gems-100").then(setOrder, () => setOrder("unavailable"));
  }, []);
  return (
    <figure className="state state-real" data-mode={mode}>
      <figcaption>The real form: type into it</figcaption>
      <Ground theme={theme}>
        {order === "unavailable" && <p role="alert">The form cannot be loaded right now.</p>}
        {order !== null && order !== "unavailable" && (
          <CardForm
            url={new URL(order.url, location.href).origin}
            payload={order.payload}
            clientSecret={() => fetchClientSecret(order.order_id)}
            title="Card form, to try the theme"
            options={{ colorMode: mode, tracking: false }}
            customStyle={theme}
            locale={direction === "rtl" ? "ar-SA" : "en-US"}
          />
        )}
      </Ground>
    </figure>
  );
}

/** The merchant's page behind the form. It has the theme's own background, if that has one. */
function Ground({ theme, children }: { readonly theme: Theme; readonly children: ReactNode }) {
  return (
    <div className="ground" style={{ backgroundColor: theme.backgroundColor }}>
      {children}
    </div>
  );
}

interface StateFrameProps extends Look {
  readonly state: string;
  readonly title: string;
}

/** One state of the gallery, in a frame that is as tall as its content. */
function StateFrame({ state, title, theme, mode, direction }: StateFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [loads, setLoads] = useState(0);
  const isPage = state.startsWith("page-");
  const query = new URLSearchParams({ standalone: `${isPage}`, customStyle: JSON.stringify(theme) });
  const choices = new URLSearchParams({ state, mode, dir: direction });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a frame that was loaded again has another body.
  useEffect(() => {
    const body = frame.current?.contentDocument?.body;
    // The payment page is as tall as its window.
    if (!body || isPage) {
      return;
    }
    const observer = new ResizeObserver(() => {
      frame.current?.style.setProperty("height", `${Math.ceil(body.getBoundingClientRect().height)}px`);
    });
    observer.observe(body);
    return () => observer.disconnect();
  }, [loads]);
  return (
    <figure className="state" data-state={state} data-mode={mode} data-page={isPage}>
      <figcaption>{title}</figcaption>
      <Ground theme={theme}>
        <iframe
          ref={frame}
          src={`/demo/gallery?${query}#${choices}`}
          title={`${title}, an example`}
          data-loaded={loads > 0}
          onLoad={() => setLoads((before) => before + 1)}
        />
      </Ground>
    </figure>
  );
}
