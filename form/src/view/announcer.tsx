// What the form's live region says to screen readers, once: each new error, the detected brand, a choice between networks, and
// the arrival of the saved cards.

import { useEffect, useRef, useState } from "react";

import { BRAND_LABELS } from "../../generated/rules.ts";
import type { BrandName } from "../card/brand.ts";
import { networksOf, shownBrand } from "../card/card-networks.ts";
import { FIELD_NAMES } from "../card/field.ts";
import { brandOf, type FormConfig, type FormField, type FormState } from "../card/form.ts";
import type { Text } from "../i18n/text.ts";
import { useStore, useText } from "./store.ts";

const NAMES: FormField[] = [...FIELD_NAMES, "savedExpiry", "savedSecurity"];

/** An announcement. The count tells a text from the same text announced again. */
interface Announcement {
  readonly text: string;
  readonly count: number;
}

/** Drawn into a live region that exists before. An error from before this script came is said, too. */
export function News() {
  const text = useText();
  const store = useStore();
  const before = useRef<FormState | null>(null);
  const language = useRef(text);
  const [said, say] = useState<Announcement>({ text: "", count: 0 });

  useEffect(() => {
    // After the effects: a field that they focus is read with its error, which is therefore not said here.
    const listen = () => {
      const focused = document.activeElement;
      queueMicrotask(() => tell(document.activeElement === focused ? null : document.activeElement));
    };
    const tell = (newlyFocused: Element | null) => {
      const form = store.state();
      const news = newsOf(store.config, before.current, form, text, errorAt(newlyFocused));
      const isOutdated =
        (before.current !== null && hasError(before.current) && !hasError(form)) || language.current !== text;
      before.current = form;
      language.current = text;
      if (news.length > 0) {
        say(({ count }) => ({ text: news.join(" "), count: count + 1 }));
      } else if (isOutdated) {
        // A screen reader must not find an error that is corrected, or one in the old language.
        say(({ count }) => ({ text: "", count }));
      }
    };
    listen();
    return store.subscribe(listen);
  }, [store, text]);

  return <span key={said.count}>{said.text}</span>;
}

/** The error that is shown at `input`. */
function errorAt(input: Element | null): string | undefined {
  return input?.closest(".field")?.querySelector<HTMLElement>("[data-error-id]")?.dataset.errorId;
}

/** The newly detected brand, the choice of a network, the new errors except `read`, and the arrival of the saved cards. */
function newsOf(
  config: FormConfig,
  before: FormState | null,
  now: FormState,
  text: Text,
  read?: string,
): string[] {
  const brand = spokenBrand(config, now);
  const isNew = brand !== null && brand !== (before && spokenBrand(config, before));
  const networks = networksOf(now);
  const isChoiceNew = networks.length > 1 && before !== null && networksOf(before).length < 2;
  const errors = NAMES.flatMap((name) => {
    const { errorId } = now.fields[name];
    return errorId !== null && errorId !== read && errorId !== before?.fields[name].errorId
      ? [text(errorId)]
      : [];
  });
  const isListed = now.method === "saved" && now.saved.list === "loaded" && before?.saved.list !== "loaded";
  return [
    ...(isNew ? [text("brand_detected", { brand: BRAND_LABELS[brand] })] : []),
    ...(isChoiceNew
      ? [`${text("choose_network")}: ${networks.map((name) => BRAND_LABELS[name]).join(", ")}`]
      : []),
    ...(isListed ? [text("saved_cards_title")] : []),
    ...errors,
  ];
}

/** The brand to announce. Of two networks the radio buttons speak. */
function spokenBrand(config: FormConfig, form: FormState): BrandName | null {
  return networksOf(form).length > 1 ? (brandOf(form)?.name ?? null) : shownBrand(config, form);
}

function hasError({ fields }: FormState): boolean {
  return NAMES.some((name) => fields[name].errorId !== null);
}
