// The merchants' SDK for React: a component that shows the form of a charge, and a handle to pay with.

import {
  type Cardform,
  type CardformEvents,
  type ClientSecret,
  type MountOptions,
  mount,
  type SubmitResult,
} from "@cardform/js";
import {
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type RefAttributes,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from "react";

export type * from "@cardform/js";

/** The value of a `ref` to the form. It stays the same object while the component is on the page. */
export interface CardFormHandle {
  /** Whether the form could be submitted now. */
  readonly ready: boolean;
  /** Pays; see `Cardform.submit`. Resolves with `not-ready` while there is no form on the page. */
  submit(): Promise<SubmitResult>;
}

/** The component's properties: the options of `mount`, and a listener for each event. */
export interface CardFormProps extends MountOptions {
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
  /** The form told how a payment ended. */
  readonly onResult?: Listener<"result">;
  /** The shopper pressed Enter in a form that is ready; submit as your pay button does. */
  readonly onSubmitRequest?: Listener<"submit-request">;
  /** Something happened at a field. */
  readonly onFieldAction?: Listener<"field-action">;
  /** The form's height has changed. */
  readonly onResize?: Listener<"resize">;
  /** An error that the shopper cannot correct. */
  readonly onError?: Listener<"error">;
}

type Listener<Name extends keyof CardformEvents> = (detail: CardformEvents[Name]) => void;

/** React warns about layout effects on the server, where there is no layout. */
const useBeforePaint = typeof document === "undefined" ? useEffect : useLayoutEffect;

/**
 * The form of a charge. If the value of `url`, `payload`, `title`, `options` or `customStyle` changes, a new form is shown.
 * Values are compared by their content, not by identity. Another `locale` changes the form's language. `clientSecret` and
 * the listeners may be new functions at each render.
 */
export const CardForm: ForwardRefExoticComponent<CardFormProps & RefAttributes<CardFormHandle>> = forwardRef(
  function CardForm(props: CardFormProps, ref) {
    const { id, className, url, payload, title, locale, options, customStyle } = props;
    const container = useRef<HTMLDivElement>(null);
    const form = useRef<Cardform | null>(null);
    const latest = useRef(props);
    const settings = JSON.stringify([url, payload, title, options, customStyle]);

    useBeforePaint(() => {
      latest.current = props;
    });

    // A change of `settings` makes a new form; everything else is read from the latest props.
    useBeforePaint(() => {
      const mounted = mount(container.current as HTMLDivElement, {
        ...latest.current,
        clientSecret: () => currentSecret(latest.current.clientSecret),
      });
      mounted.on("load", (detail) => latest.current.onLoad?.(detail));
      mounted.on("ready-change", (detail) => latest.current.onReadyChange?.(detail));
      mounted.on("charge-change", (detail) => latest.current.onChargeChange?.(detail));
      mounted.on("result", (detail) => latest.current.onResult?.(detail));
      mounted.on("submit-request", (detail) => latest.current.onSubmitRequest?.(detail));
      mounted.on("field-action", (detail) => latest.current.onFieldAction?.(detail));
      mounted.on("resize", (detail) => latest.current.onResize?.(detail));
      mounted.on("error", (detail) => latest.current.onError?.(detail));
      form.current = mounted;
      return () => {
        form.current = null;
        mounted.unmount();
      };
    }, [settings]);

    useEffect(() => {
      if (locale !== undefined) {
        form.current?.setLocale(locale);
      }
    }, [locale]);

    useImperativeHandle(
      ref,
      () => ({
        get ready() {
          return form.current?.ready ?? false;
        },
        submit: () => form.current?.submit() ?? Promise.resolve({ status: "not-ready" }),
      }),
      [],
    );

    return createElement("div", { ref: container, id, className });
  },
);

function currentSecret(clientSecret: ClientSecret): string | Promise<string> {
  return typeof clientSecret === "function" ? clientSecret() : clientSecret;
}
