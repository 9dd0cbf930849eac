// The error pages (specification, point 2): the status, what it means, and for a missing page the way home.

import type { ErrorPage as ErrorPageData } from "../../generated/wire.ts";
import { textOf } from "../i18n/text.ts";
import { TextContext, useText } from "./text.ts";

const NOT_FOUND = 404;

export function ErrorPage({ page }: { readonly page: ErrorPageData }) {
  const text = useText();
  const { status } = page;
  // The first heading is what happened: the message where there is one.
  const Description = page.message === null ? "h1" : "p";
  const standard = text(status === NOT_FOUND ? "page_not_found" : "page_unavailable");
  return (
    <main className="error-page">
      <div className="panel">
        <p className="error-status">{status}</p>
        {page.message !== null && <h1 className="error-message">{page.message}</h1>}
        <Description className="error-description">{page.description ?? standard}</Description>
        {status === NOT_FOUND && (
          <a className="error-link" href="/">
            {text("page_not_found_link")}
          </a>
        )}
      </div>
    </main>
  );
}

/** The whole page. */
export function ErrorApp({ page }: { readonly page: ErrorPageData }) {
  return (
    <TextContext value={textOf(page.context)}>
      <ErrorPage page={page} />
    </TextContext>
  );
}
