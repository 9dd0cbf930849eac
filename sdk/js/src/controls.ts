// Changes the open form: its look, options, language, charge, focus and content. Fetched when one of these is called.
// After `unmount()` each resolves to false, also one that is under way.

import type { FieldId } from "../../../form/generated/rules.ts";
import type { FromParent } from "../../../form/generated/wire.ts";
import type { FormUpdate } from "./cardform.ts";
import type { Load } from "./load.ts";
import type { MountOptions } from "./options.ts";

/** How long the form may take to change, in milliseconds. While a payment is under way it waits. */
const CHANGE_MS_MAX = 120_000;

/** How often to look whether the form has gone, in milliseconds. No event tells it. */
const GONE_MS = 250;

/** Changes the language. */
export async function setLocale(load: Load, locale: string): Promise<boolean> {
  if (locale !== load.options.locale) {
    load.options = { ...load.options, locale };
    say(load, { type: "language-change", locale });
  }
  return !load.gone;
}

/** Changes options, look or language. */
export async function update(
  load: Load,
  { options, customStyle, locale, disabled, ...unknown }: FormUpdate,
): Promise<boolean> {
  for (const name of Object.keys(unknown)) {
    console.warn(
      `Cardform: update() does not know "${name}". It takes options, customStyle, locale and disabled.`,
    );
  }
  load.options = {
    ...load.options,
    ...(options && { options: { ...load.options.options, ...options } }),
    ...(customStyle && { customStyle }),
  };
  if (locale !== undefined) {
    await setLocale(load, locale);
  }
  if (disabled !== undefined) {
    say(load, { type: "form-disable", disabled });
  }
  return options || customStyle ? change(load, {}) : !load.gone;
}

/** Shows the charge as it is now. */
export async function refresh(
  load: Load,
  charge: Partial<Pick<MountOptions, "payload" | "clientSecret">> = {},
): Promise<boolean> {
  load.options = { ...load.options, ...charge };
  return change(load, charge.payload === undefined ? {} : { payload: charge.payload });
}

/** Moves the focus into the form. */
export async function focus(load: Load, field: FieldId = "card-number"): Promise<boolean> {
  if (!(await hasLoaded(load))) {
    return false;
  }
  load.frame.contentWindow?.focus();
  load.post({ type: "field-focus", field });
  return true;
}

/** Empties the form. */
export async function clear(load: Load): Promise<boolean> {
  if (!(await hasLoaded(load))) {
    return false;
  }
  load.post({ type: "fields-clear" });
  return true;
}

/** The form gets all options and the whole look, so that the last change is right even if an earlier one failed. */
function change(load: Load, charge: { readonly payload?: string }): Promise<boolean> {
  // One after another, because an answer does not say which change it is about.
  const changed = (load.changed ?? Promise.resolve()).then(() => answered(load, charge));
  load.changed = changed;
  return changed;
}

function answered(load: Load, charge: { readonly payload?: string }): Promise<boolean> {
  if (load.gone) {
    return Promise.resolve(false);
  }
  return new Promise((resolve) => {
    const done = (success: boolean) => {
      stop();
      clearTimeout(timer);
      clearInterval(goneTimer);
      resolve(success);
    };
    const stop = load.on("page-changed", ({ success }) => done(success));
    const timer = setTimeout(done, CHANGE_MS_MAX, false);
    const goneTimer = setInterval(() => load.gone && done(false), GONE_MS);
    const { customStyle } = load.options;
    say(load, {
      ...load.said?.get("page-change"),
      type: "page-change",
      options: JSON.stringify(load.wireOptions(load.options, load.host)),
      ...(customStyle && { custom_style: JSON.stringify(customStyle) }),
      ...charge,
    });
  });
}

/** Tells the form now, if it has loaded, and again whenever it loads. */
function say(load: Load, message: FromParent): void {
  if (!load.said) {
    const said = new Map<string, FromParent>();
    load.said = said;
    load.on("load", () => said.forEach(load.post));
  }
  load.said.set(message.type, message);
  if (load.loaded) {
    load.post(message);
  }
}

/** Waits until the form can be used. False if it could not be loaded, or was removed. */
function hasLoaded(load: Load): Promise<boolean> {
  return new Promise((resolve) => {
    const look = () => {
      // The load is over when it has ended in any way.
      if (load.loaded || load.over) {
        clearInterval(timer);
        stop();
        resolve(!!load.loaded && !load.gone);
      }
    };
    const stop = load.on("load", look);
    const timer = setInterval(look, GONE_MS);
    look();
  });
}
