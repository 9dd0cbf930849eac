// How the component passes changes of its properties to the SDK's form.

// Before React, which looks for a document when it is loaded.
import "./stand-in-dom.ts";

import type { Cardform } from "@cardform/js";
import { act, createElement, Suspense } from "react";
import { createRoot, type Root } from "react-dom/client";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { CardForm, type CardFormProps, type CardFormState, useCardForm } from "../src/index.tsx";
import { standInRoot } from "./stand-in-dom.ts";

const form = {
  on: vi.fn(),
  update: vi.fn(async () => true),
  setLocale: vi.fn(async () => true),
  refresh: vi.fn(async () => true),
  unmount: vi.fn(),
};
const mount = vi.hoisted(() => vi.fn());
vi.mock("@cardform/js", () => ({ mount }));

const PROPS: CardFormProps = { url: "https://pay.example", payload: "p", clientSecret: "secret" };
let root: Root;

beforeEach(() => {
  vi.clearAllMocks();
  mount.mockReturnValue(form as unknown as Cardform);
  root = createRoot(standInRoot());
});

const show = (props: Partial<CardFormProps>) =>
  act(() => root.render(createElement(CardForm, { ...PROPS, ...props })));

describe("a property that is gone", () => {
  it("enables the form again", () => {
    show({ disabled: true });
    expect(form.update).toHaveBeenLastCalledWith({ disabled: true });
    show({});
    expect(form.update).toHaveBeenLastCalledWith({ disabled: false });
  });

  it("gives the form the browser's language again", () => {
    show({ locale: "fr-FR" });
    show({ locale: "ja-JP" });
    expect(form.setLocale.mock.calls).toEqual([["ja-JP"]]);
    show({});
    expect(form.setLocale).toHaveBeenLastCalledWith("de-AT");
  });
});

it("a form that was never disabled is told nothing", () => {
  show({});
  show({ className: "card" });
  expect(mount).toHaveBeenCalledTimes(1);
  expect(form.update).not.toHaveBeenCalled();
});

it("the state of a form that has gone is that of no form", () => {
  let state = {} as CardFormState;
  const Checkout = ({ pays }: { readonly pays: boolean }) => {
    state = useCardForm();
    return pays && createElement(CardForm, { ...PROPS, ref: state.ref, ...state.listeners });
  };
  const pays = (pays: boolean) => act(() => root.render(createElement(Checkout, { pays })));
  pays(true);
  const content = { brand: "visa", complete: true, empty: false, errors: {}, fields: {} };
  act(() => {
    state.listeners.onLoad?.(undefined);
    state.listeners.onReadyChange?.({ ready: true });
    state.listeners.onChange?.(content);
    state.listeners.onResult?.({ status: "not-ready" });
  });
  expect(state).toMatchObject({ loaded: true, ready: true, content });
  pays(false);
  pays(true);
  expect(state).toMatchObject({
    loaded: false,
    ready: false,
    content: null,
    result: { status: "not-ready" },
  });
});

describe("a form beside a part that is loaded", () => {
  let state = {} as CardFormState;
  let loaded = () => {};

  /** Suspends until `loaded` is called. */
  function Part({ loading }: { readonly loading: Promise<void> | null }) {
    if (loading) throw loading;
    return null;
  }

  function Checkout({ loading, ...props }: Partial<CardFormProps> & { loading: Promise<void> | null }) {
    state = useCardForm();
    const form = createElement(CardForm, { ...PROPS, ...props, ref: state.ref, ...state.listeners });
    return createElement(Suspense, { fallback: null }, form, createElement(Part, { loading }));
  }

  const checkout = (loading: Promise<void> | null, props: Partial<CardFormProps> = {}) =>
    act(async () => root.render(createElement(Checkout, { loading, ...props })));

  it("stays while it is hidden, with its state", async () => {
    await checkout(null);
    act(() => state.listeners.onReadyChange?.({ ready: true }));
    await checkout(
      new Promise((resolve) => {
        loaded = resolve;
      }),
    );
    expect(state.ready).toBe(false);
    expect(form.unmount).not.toHaveBeenCalled();
    loaded();
    await checkout(null);
    expect(state.ready).toBe(true);
    expect(mount).toHaveBeenCalledTimes(1);
  });

  it("is another form with another url, and goes with its component", async () => {
    await checkout(null);
    act(() => state.listeners.onReadyChange?.({ ready: true }));
    await checkout(null, { url: "https://pay2.example" });
    expect(state.ready).toBe(false);
    expect([mount.mock.calls.length, form.unmount.mock.calls.length]).toEqual([2, 1]);
    await act(async () => root.render(null));
    expect([mount.mock.calls.length, form.unmount.mock.calls.length]).toEqual([2, 2]);
  });
});
