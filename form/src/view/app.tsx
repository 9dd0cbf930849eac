// The page: the form, embedded or standalone, or an error page.

import { useEffect } from "react";

import type { ErrorPage as ErrorPageData, FormPage } from "../../generated/wire.ts";
import type { FormStore } from "../form-store.ts";
import { textOf } from "../i18n/text.ts";
import { Embedded } from "./embedded.tsx";
import { ErrorPage } from "./error-page.tsx";
import { Standalone } from "./standalone.tsx";
import { StoreContext } from "./store.ts";
import { TextContext } from "./text.ts";

export interface FormAppProps {
  readonly page: FormPage;
  readonly store: FormStore;
  /** Called once the page is drawn and its inputs are the machine's. */
  readonly onReady?: () => void;
}

export function FormApp({ page, store, onReady }: FormAppProps) {
  useEffect(() => onReady?.(), [onReady]);
  return (
    <TextContext value={textOf(page.context.messages)}>
      <StoreContext value={store}>{page.standalone ? <Standalone page={page} /> : <Embedded />}</StoreContext>
    </TextContext>
  );
}

export function ErrorApp({ page }: { readonly page: ErrorPageData }) {
  return (
    <TextContext value={textOf(page.context.messages)}>
      <ErrorPage page={page} />
    </TextContext>
  );
}
