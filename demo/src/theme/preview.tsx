// The preview: a real form to type into, and the form's own components in each state. The server makes the theme's style
// sheet; it is exchanged in the frames, which are of this origin, so that nothing is loaded again and what was typed stays.

import { CardForm } from "@cardform/react";
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { createOrder, fetchClientSecret, type Order } from "../shop-server.ts";
import { customStyleOf, type Mode, type Theme } from "./theme.ts";

interface PreviewProps {
  readonly theme: Theme;
  readonly mode: Mode;
  readonly onMode: (mode: Mode) => void;
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

/** How long the editor must rest before the server is asked, in milliseconds. */
const REST_MS = 120;

/** The theme's style sheets, as the server makes them for a frame and for the payment page. */
interface Sheets {
  readonly form: string;
  readonly page: string;
}

async function fetchSheet(theme: Theme, standalone: boolean, signal: AbortSignal): Promise<string> {
  const query = new URLSearchParams({
    customStyle: JSON.stringify(customStyleOf(theme)),
    standalone: `${standalone}`,
  });
  const html = await (await fetch(`/demo/gallery?${query}`, { signal })).text();
  return /<style>([^<]*)<\/style><\/head>/.exec(html)?.[1] ?? "";
}

function useSheets(theme: Theme): Sheets | null {
  const [sheets, setSheets] = useState<Sheets | null>(null);
  useEffect(() => {
    const over = new AbortController();
    const timer = setTimeout(() => {
      Promise.all([fetchSheet(theme, false, over.signal), fetchSheet(theme, true, over.signal)]).then(
        ([form, page]) => setSheets({ form, page }),
        () => {
          // A newer theme took its place, or the server is gone; then the last one stays.
        },
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [theme]);
  return sheets;
}

/** Shows a theme, a color mode and a direction in a frame of this origin. */
function dress(frame: HTMLIFrameElement | null | undefined, sheet: string, mode: Mode, dir?: string): void {
  const [inside, page] = [frame?.contentWindow, frame?.contentDocument];
  if (!inside || !page?.documentElement || !("CSSStyleSheet" in inside)) {
    return;
  }
  const Sheet = inside.CSSStyleSheet as typeof CSSStyleSheet;
  const adopted = new Sheet();
  adopted.replaceSync(sheet);
  page.adoptedStyleSheets = [adopted];
  for (const own of page.styleSheets) {
    // The theme that the frame was loaded with, except its web fonts.
    if (own.ownerNode?.nodeName === "STYLE" && !own.ownerNode.textContent?.includes("@font-face")) {
      own.disabled = true;
    }
  }
  page.documentElement.dataset.colorMode = mode;
  if (dir) {
    page.documentElement.dir = dir;
  }
}

/** A theme's preview: the form to type into, and its states. */
export function usePreview({ theme, mode, onMode }: PreviewProps) {
  const sheets = useSheets(theme);
  const [direction, setDirection] = useState<"ltr" | "rtl">("ltr");
  const form = (
    <section className="preview" aria-labelledby="preview-title">
      <div className="preview-head">
        <h2 id="preview-title">Preview</h2>
        <Choice name="mode" value={mode} values={{ light: "Light", dark: "Dark" }} onChange={onMode} />
        <Choice
          name="direction"
          value={direction}
          values={{ ltr: "Left to right", rtl: "Right to left" }}
          onChange={setDirection}
        />
      </div>
      <RealForm theme={theme} sheet={sheets?.form} mode={mode} direction={direction} />
    </section>
  );
  const states = (
    <section className="states" aria-label="Every state">
      {STATES.map(([state, title]) => (
        <StateFrame
          key={state}
          state={state}
          title={title}
          theme={theme}
          sheet={state.startsWith("page-") ? sheets?.page : sheets?.form}
          mode={mode}
          direction={direction}
        />
      ))}
    </section>
  );
  return { form, states };
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

interface FrameProps {
  readonly theme: Theme;
  /** The style sheet, as soon as the server has made it. */
  readonly sheet: string | undefined;
  readonly mode: Mode;
  readonly direction: "ltr" | "rtl";
}

/** What the page inside must be loaded with, because a style sheet cannot change it. */
function useLoadedStyle(theme: Theme) {
  const labelStyle = theme["children.cardForm.labelStyle"];
  const { fonts } = theme;
  return useMemo(
    () =>
      customStyleOf({
        ...(labelStyle && { "children.cardForm.labelStyle": labelStyle }),
        ...(fonts && { fonts }),
      }),
    [labelStyle, fonts],
  );
}

/** Browsers fill a frame whose color scheme is not that of the element (see the SDK's `createFrame`). */
const LIGHT_FRAME = ":root[data-color-mode]{color-scheme:light}";

/** The form of a charge, as the SDK embeds it in a merchant's page. */
function RealForm({ theme, sheet, mode, direction }: FrameProps) {
  const [order, setOrder] = useState<Order | "unavailable" | null>(null);
  const place = useRef<HTMLElement>(null);
  const style = useLoadedStyle(theme);
  useEffect(() => {
    let wanted = true;
    createOrder("gems-100").then(
      (placed) => wanted && setOrder(placed),
      () => wanted && setOrder("unavailable"),
    );
    return () => {
      wanted = false;
    };
  }, []);
  const show = useCallback(
    () => sheet !== undefined && dress(place.current?.querySelector("iframe"), sheet + LIGHT_FRAME, mode),
    [sheet, mode],
  );
  useEffect(() => {
    show();
  }, [show]);
  const [options] = useState({ colorMode: mode, tracking: false });
  return (
    <figure className="state state-real" data-mode={mode} ref={place}>
      <figcaption>The real form: type into it</figcaption>
      <Ground theme={theme}>
        {order === "unavailable" && <p role="alert">The form cannot be loaded right now.</p>}
        {order !== null && order !== "unavailable" && (
          <CardForm
            url={new URL(order.url, location.href).origin}
            payload={order.payload}
            clientSecret={() => fetchClientSecret(order.order_id)}
            title="Card form, to try the theme"
            options={options}
            customStyle={style}
            locale={direction === "rtl" ? "ar-SA" : "en-US"}
            onLoad={show}
          />
        )}
      </Ground>
    </figure>
  );
}

interface StateFrameProps extends FrameProps {
  readonly state: string;
  readonly title: string;
}

/** Calls `then` as soon as the gallery has drawn its state. Before that, it still sets its own color mode. */
function whenShown(frame: HTMLIFrameElement, then: () => void): void {
  const root = frame.contentDocument?.documentElement;
  if (!root) {
    return;
  }
  if (root.dataset.shown !== undefined) {
    then();
    return;
  }
  const observer = new MutationObserver(() => {
    if (root.dataset.shown !== undefined) {
      observer.disconnect();
      then();
    }
  });
  observer.observe(root, { attributes: true });
}

/** The merchant's page behind the form. It has the theme's own background, if that has one. */
function Ground({ theme, children }: { readonly theme: Theme; readonly children: ReactNode }) {
  const ground = useRef<HTMLDivElement>(null);
  const color = theme.backgroundColor ?? "";
  // Through the CSSOM, because the page's policy forbids the style attribute.
  useLayoutEffect(() => {
    ground.current?.style.setProperty("background-color", color);
  }, [color]);
  return (
    <div className="ground" ref={ground}>
      {children}
    </div>
  );
}

/** One state of the gallery, in a frame that is as tall as its content. */
function StateFrame({ state, title, theme, sheet, mode, direction }: StateFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [loads, setLoads] = useState(0);
  const style = useLoadedStyle(theme);
  const isPage = state.startsWith("page-");
  const src = `/demo/gallery?${new URLSearchParams({ state, standalone: `${isPage}`, customStyle: JSON.stringify(style) })}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a frame that was loaded again must be dressed again.
  useEffect(() => {
    if (sheet !== undefined) {
      dress(frame.current, sheet, mode, direction);
    }
  }, [sheet, mode, direction, loads]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a frame that was loaded again has another body.
  useEffect(() => {
    const body = frame.current?.contentDocument?.body;
    // The payment page is as tall as its window, whatever that is.
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
          src={src}
          title={`${title}, an example`}
          data-dressed={sheet !== undefined && loads > 0}
          onLoad={({ currentTarget }) => whenShown(currentTarget, () => setLoads((before) => before + 1))}
        />
      </Ground>
    </figure>
  );
}
