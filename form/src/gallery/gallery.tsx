// The gallery: the page's own components in the state that the address's fragment names (`#state=`), or the list of all
// states. In the fragment, `layout`, `dir`, `locale`, `mode` and `text` (the size of the page's text in percent) choose
// how. The query has what the server needs: `standalone`, and the page's own `customStyle`.

import "../styles.ts";
import "./gallery.css";

import type { ReactNode } from "react";
import { flushSync } from "react-dom";
import { createRoot, type Root } from "react-dom/client";

import type { FormPage, PageContext, Payee } from "../../generated/wire.ts";
import { formConfig } from "../form-config.ts";
import { createFormStore } from "../form-store.ts";
import { createLanguageStore } from "../i18n/language.ts";
import { loadLanguage } from "../i18n/load-language.ts";
import { FormApp } from "../view/app.tsx";
import { CardPage } from "../view/card-page.tsx";
import { ErrorApp } from "../view/error-page.tsx";
import { fetchLateViews } from "../view/late.ts";
import { GalleryList } from "./list.tsx";
import logo from "./logo.png";
import { type GalleryState, LARKSPUR, STATES } from "./states.ts";

/** Saved cards of the gallery expire after this month, or before. */
const TODAY = { year: 2026, month: 11 };

const html = document.documentElement;
const root = document.getElementById("root");
if (root === null) {
  throw new Error("this document is not the gallery's");
}
let drawn: Root | undefined;
addEventListener("hashchange", () => void show(root));
await show(root);

/** Draws what the fragment names, in place of what was there. */
async function show(root: HTMLElement): Promise<void> {
  const fragment = location.hash.slice(1);
  const choices = new URLSearchParams(fragment);
  const state = STATES[choices.get("state") ?? ""];
  if (state === undefined) {
    redraw(root, <GalleryList />);
    return;
  }
  const context = await contextOf(choices);
  // The payment page makes this request, too.
  const amount = await (await fetch(`/amounts/${context.locale}/USD/12.50`)).text();
  await fetchLateViews();
  if (location.hash.slice(1) !== fragment) {
    return;
  }
  html.lang = context.iso;
  html.dir = context.dir;
  html.dataset.colorMode = choices.get("mode") ?? "light";
  html.style.fontSize = `${Number(choices.get("text") ?? 100)}%`;
  document.querySelector(".payee")?.remove();
  const payee = payeeOf(state);
  if (payee !== null) {
    root.insertAdjacentHTML("beforebegin", payeeLine(payee));
  }
  redraw(root, appOf(state, context, amount, choices.get("layout") !== "classic"));
  html.dataset.shown = fragment;
}

/** Draws at once, so that only the final state is seen. */
function redraw(root: HTMLElement, content: ReactNode): void {
  drawn?.unmount();
  drawn = createRoot(root);
  flushSync(() => drawn?.render(content));
}

async function contextOf(choices: URLSearchParams): Promise<PageContext> {
  const dir = choices.get("dir");
  const code = choices.get("locale") ?? (dir === "rtl" ? "ar-SA" : "en-US");
  const language = await loadLanguage(code, "gallery");
  if (language === null) {
    throw new Error("the gallery has no texts of this locale");
  }
  return {
    ...language,
    dir: dir ?? language.dir,
    version: "",
    build_id: "",
    locale_strategy: "no_prefix",
    locale_cookie: "",
  };
}

/** The payee on the payment page; null in a merchant's page, which shows it itself. */
function payeeOf({ standalone, payee }: GalleryState): Payee | null {
  const named = payee ?? LARKSPUR;
  return standalone ? { ...named, logo: named.logo ? logo : null } : null;
}

/** The payee's line, as the server writes it above the payment page (`crates/page/src/html.rs`). A test compares the two. */
function payeeLine({ name, logo, website }: Payee): string {
  const image = logo === null ? "" : `<img class="payee-logo" src="${logo}" alt="" height="40">`;
  const inner = `${image}<bdi class="payee-name">${name}</bdi>`;
  const linked = website === null ? inner : `<a class="payee-link" href="${website}">${inner}</a>`;
  return `<header class="payee">${linked}</header>`;
}

function appOf(state: GalleryState, context: PageContext, amount: string, redesign: boolean) {
  if (state.error !== undefined) {
    return <ErrorApp page={{ context, ...state.error }} />;
  }
  const page = pageOf(state, context, amount, redesign);
  const store = createFormStore(formConfig(page), { today: () => TODAY, drawn: (change) => change() });
  for (const event of state.events ?? []) {
    store.send(event);
  }
  if (state.cardPage !== undefined) {
    const language = createLanguageStore(context);
    const form = { page: { ...page, standalone: true }, store };
    const shown = { page, language, form, state: state.cardPage, send: () => {}, today: TODAY };
    return <CardPage {...shown} />;
  }
  return <FormApp page={page} store={store} language={createLanguageStore(context)} />;
}

function pageOf(state: GalleryState, context: PageContext, amount: string, redesign: boolean): FormPage {
  const {
    options,
    saving = false,
    offSession = false,
    setup = false,
    counted,
    standalone = false,
    reference = "order-1",
  } = state;
  return {
    context,
    device_data_timeout_ms: null,
    tracking: null,
    service: { base: "", direct_charges: "/v1/pub/direct/charges" },
    card_key: null,
    accepts_plain_cards: true,
    init_time_ms: null,
    intent: {
      itemCode: "gems-100",
      itemName: "100 gems",
      amountValue: setup ? "0" : "12.50",
      amountCurrency: "USD",
      partnerReference: reference,
      partnerShopperId: "sam",
      paymentMethodCountryCode: "US",
      chargeId: "ch_1",
      partnerCustomData: "{}",
      shopperEmail: "",
      zipCode: null,
      enableSavePaymentMethod: saving,
      shopperId: saving || setup ? "sh_1" : "",
      userInitiated: true,
      displaySavedPaymentMethodList: saving,
      eligibleSavePaymentMethods: saving,
      partnerId: "partner_1",
      saveCardUsage: offSession ? "off_session" : "",
    },
    standalone,
    payee: payeeOf(state),
    notes: [],
    amount_text: amount,
    options: {
      cookie_id: null,
      show_cardholder_name: false,
      show_cardholder_email: false,
      cardholder_email: null,
      locale: null,
      site_id: null,
      variant: null,
      contrast: "AA",
      color_mode: null,
      host_background: null,
      tracking: null,
      event_attributes: null,
      features: null,
      ...options,
    },
    features: {
      "card-form-card-number-luhn-alg-validation": true,
      "card-form-card-security-length-limit-validation": true,
      "card-form-card-expiry-date-limit-validation": true,
      "enable-ddc": false,
      "enable-save-card-snackbar": true,
      "enable-save-payment-methods": true,
      "card-form-card-brand-icon-config": true,
      "pop-646-card-form-ui-redesign": redesign,
    },
    experiments: [],
    cookie_id: "gallery",
    available_brands: ["visa", "mastercard"],
    fraud_script: null,
    ip_lookup_url: "/v1/pub/ip",
    allowed_origins: [],
    floating_labels: (new URLSearchParams(location.search).get("customStyle") ?? "").includes(
      '"labelStyle":"floating"',
    ),
    saved_cards_count: counted ?? null,
  };
}
