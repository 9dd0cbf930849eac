// The merchants' SDK for React: a component that shows the form of a charge, and a handle to pay with.

import {
  type Cardform,
  type CardformError,
  type CardformEvents,
  type CardformOptions,
  type ClientSecret,
  type FieldId,
  type FormContent,
  type MountOptions,
  mount,
  type SubmitResult,
} from "@cardform/js";
import {
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type RefAttributes,
  type RefCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";

export type * from "@cardform/js";

/** The value of a `ref` to the form. It stays the same object until another `url` or `title` makes a new form. */
export interface CardFormHandle {
  /** Whether the form could be submitted now. */
  readonly ready: boolean;
  /** Pays; see `Cardform.submit`. Resolves with `not-ready` while there is no form on the page. */
  submit(): Promise<SubmitResult>;
  /** Shows the charge after your server has changed it; see `Cardform.refresh`. */
  refresh(): Promise<boolean>;
  /** Moves the focus to a field. */
  focus(field?: FieldId): void;
  /** Empties the fields. */
  clear(): void;
}

/** The component's properties: the options of `mount`, and a listener for each event. */
export interface CardFormProps extends MountOptions {
  /** Whether the shopper cannot use the form. */
  readonly disabled?: boolean;
  /** Of the element around the frame. */
  readonly id?: string;
  /** Of the element around the frame. */
  readonly className?: string;
  /** The form can be used. */
  readonly onLoad?: Listener<"load">;
  /** Whether the form could be submitted now has changed. */
  readonly onReadyChange?: Listener<"ready-change">;
  /** The charge waits for the shopper or for the provider. */
  readonly onChargeChange?: Listener<"charge-change">;
  /** A payment has ended. */
  readonly onResult?: Listener<"result">;
  /** The shopper pressed Enter in a form that is ready; submit as your pay button does. */
  readonly onSubmitRequest?: Listener<"submit-request">;
  /** Something happened at a field. */
  readonly onFieldAction?: Listener<"field-action">;
  /** The form's height has changed. */
  readonly onResize?: Listener<"resize">;
  /** The form's content has changed; the detail has no typed text. */
  readonly onChange?: Listener<"change">;
  /** An error that the shopper cannot correct. */
  readonly onError?: Listener<"error">;
}

type Listener<Name extends keyof CardformEvents> = (detail: CardformEvents[Name]) => void;

/** React warns about layout effects on the server, where there is no layout. */
const useBeforePaint = typeof document === "undefined" ? useEffect : useLayoutEffect;

/**
 * The form of a charge. Another `payload`, `options`, `customStyle`, `locale` or `disabled` changes the form in place, and
 * nothing typed is lost; another `url` or `title` makes a new form. Values are compared by their content, not by identity.
 * `clientSecret` and the listeners may be new functions at each render.
 */
export const CardForm: ForwardRefExoticComponent<CardFormProps & RefAttributes<CardFormHandle>> = forwardRef(
  function CardForm(props: CardFormProps, ref) {
    const { id, className, url, payload, title, locale, options, customStyle, disabled } = props;
    const container = useRef<HTMLDivElement>(null);
    const form = useRef<Cardform | null>(null);
    const latest = useRef(props);
    const shown = useRef<readonly string[]>([]);
    const shownPlace = useRef("");
    const shownLocale = useRef(locale);
    const looks = looksOf(props);

    useBeforePaint(() => {
      latest.current = props;
    });

    // A change of these makes a new form; everything else is read from the latest props. Before the paint, so that nothing moves.
    useBeforePaint(() => {
      const place = JSON.stringify([url, title]);
      if (form.current && place === shownPlace.current) {
        // React hides the component while a part beside it is loaded, and has shown it again.
        return;
      }
      form.current?.unmount();
      const mounted = mount(container.current as HTMLDivElement, {
        ...latest.current,
        clientSecret: () => currentSecret(latest.current.clientSecret),
        // Without one of your own the SDK shows the challenge.
        onChallenge: (challenge) => latest.current.onChallenge?.(challenge) ?? !!latest.current.onChallenge,
      });
      for (const [name, listener] of EVENTS) {
        mounted.on(name, (detail) => (latest.current[listener] as Listener<typeof name>)?.(detail as never));
      }
      form.current = mounted;
      shownPlace.current = place;
      shown.current = [looksOf(latest.current), latest.current.payload];
    }, [url, title]);

    // Not with the layout effect, because what the shopper typed stays while the component is hidden.
    useEffect(
      () => () => {
        form.current?.unmount();
        form.current = null;
      },
      [],
    );

    // biome-ignore lint/correctness/useExhaustiveDependencies: `looks` is the content of the options and the style.
    useEffect(() => {
      if (form.current && looks !== shown.current[0]) {
        // Options that are gone have their defaults again.
        const [before] = JSON.parse(shown.current[0] ?? "[]") as [CardformOptions | null];
        const gone = Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, undefined]));
        shown.current = [looks, shown.current[1] ?? ""];
        void form.current.update({ options: { ...gone, ...options }, customStyle: customStyle ?? {} });
      }
    }, [looks]);

    useEffect(() => {
      if (form.current && payload !== shown.current[1]) {
        shown.current = [shown.current[0] ?? "", payload];
        void form.current.refresh({ payload });
      }
    }, [payload]);

    useEffect(() => {
      if (locale !== shownLocale.current) {
        shownLocale.current = locale;
        // Without one the form has the browser's language.
        void form.current?.setLocale(locale ?? navigator.language);
      }
    }, [locale]);

    // biome-ignore lint/correctness/useExhaustiveDependencies: a new form must be told, too.
    useEffect(() => {
      if (disabled) {
        void form.current?.update({ disabled: true });
        return () => void form.current?.update({ disabled: false });
      }
    }, [disabled, url, title]);

    // biome-ignore lint/correctness/useExhaustiveDependencies: by its handle `useCardForm` knows a new form.
    const handle = useMemo<CardFormHandle>(
      () => ({
        get ready() {
          return form.current?.ready ?? false;
        },
        submit: () => form.current?.submit() ?? Promise.resolve({ status: "not-ready" }),
        refresh: () => form.current?.refresh() ?? Promise.resolve(false),
        focus: (field) => void form.current?.focus(field),
        clear: () => void form.current?.clear(),
      }),
      [url, title],
    );
    useImperativeHandle(ref, () => handle, [handle]);

    return createElement("div", { ref: container, id, className });
  },
);

/** The state of the form, and what to do with it. */
export interface CardFormState {
  /** For the `ref` of `CardForm`. */
  readonly ref: RefCallback<CardFormHandle>;
  /** Pass these to `CardForm`, before your own listeners. */
  readonly listeners: Pick<CardFormProps, "onLoad" | "onReadyChange" | "onResult" | "onChange" | "onError">;
  /** Whether the form can be used. */
  readonly loaded: boolean;
  /** Whether the form could be submitted now. */
  readonly ready: boolean;
  /** Whether a payment is under way. */
  readonly submitting: boolean;
  /** The form's content, without typed text; null before the first message. */
  readonly content: FormContent | null;
  /** How the last payment ended; null before. */
  readonly result: SubmitResult | null;
  /** The last error that the shopper cannot correct. */
  readonly error: CardformError | null;
  /** Pays. */
  readonly submit: () => Promise<SubmitResult>;
}

/** The state of one `CardForm`: `<CardForm ref={form.ref} {...form.listeners} … />`. */
export function useCardForm(): CardFormState {
  const handle = useRef<CardFormHandle | null>(null);
  const last = useRef<CardFormHandle | null>(null);
  const [isShown, setShown] = useState(false);
  const [state, setState] = useState<Omit<CardFormState, "ref" | "listeners" | "submit">>(NOTHING_YET);
  const set = (part: Partial<typeof state>) => setState((before) => ({ ...before, ...part }));
  const [fixed] = useState(() => ({
    ref: (now: CardFormHandle | null) => {
      handle.current = now;
      setShown(now !== null);
      if (now !== null && now !== last.current) {
        if (last.current !== null) {
          set(NO_FORM);
        }
        last.current = now;
      }
    },
    listeners: {
      onLoad: () => set({ loaded: true, error: null }),
      onReadyChange: ({ ready }: { readonly ready: boolean }) => set({ ready }),
      onResult: (result: SubmitResult) => set({ result }),
      onChange: (content: FormContent) => set({ content }),
      onError: (error: CardformError) => set({ error }),
    },
    submit: async () => {
      set({ submitting: true, result: null });
      const result: SubmitResult = (await handle.current?.submit()) ?? { status: "not-ready" };
      set({ submitting: false, result });
      return result;
    },
  }));
  // A form that is hidden while another part is loaded comes back as it was.
  return { ...state, ...(isShown ? {} : NO_FORM), ...fixed };
}

const NO_FORM = { loaded: false, ready: false, content: null };

const NOTHING_YET = {
  ...NO_FORM,
  submitting: false,
  result: null,
  error: null,
};

const EVENTS = [
  ["load", "onLoad"],
  ["ready-change", "onReadyChange"],
  ["charge-change", "onChargeChange"],
  ["result", "onResult"],
  ["submit-request", "onSubmitRequest"],
  ["field-action", "onFieldAction"],
  ["resize", "onResize"],
  ["change", "onChange"],
  ["error", "onError"],
] as const;

function looksOf({ options, customStyle }: CardFormProps): string {
  return JSON.stringify([options, customStyle]);
}

function currentSecret(clientSecret: ClientSecret): string | Promise<string> {
  return typeof clientSecret === "function" ? clientSecret() : clientSecret;
}
