// The error pages (docs/form.md#error-pages): the status, what it means, and for a missing page a link home. A payment link
// that does not work tells the shopper what to do, and the developer why.

import type { ErrorPage as ErrorPageData } from "../../generated/wire.ts";
import { textOf } from "../i18n/text.ts";
import { TextContext, useText } from "./text.ts";

const NOT_FOUND = 404;
const SERVER_ERROR = 500;

export function ErrorPage({ page }: { readonly page: ErrorPageData }) {
  const text = useText();
  const { status } = page;
  return (
    <main className="error-page">
      <div className="panel">
        <p className="error-status">{status}</p>
        {status >= SERVER_ERROR || status === NOT_FOUND ? (
          <Missing page={page} />
        ) : (
          <>
            <h1 className="error-message">{text("page_unusable_title")}</h1>
            <p className="error-description">{text("outcome_incomplete_link_text")}</p>
            {page.description !== null && (
              // For the merchant's developer.
              <p className="error-detail" lang="en" dir="ltr">
                {page.description}
              </p>
            )}
          </>
        )}
      </div>
    </main>
  );
}

/** A page that is missing, or not available now. */
function Missing({ page: { status, message, description } }: { readonly page: ErrorPageData }) {
  const text = useText();
  const isNotFound = status === NOT_FOUND;
  // The first heading says what happened: the message, if there is one.
  const Description = message === null ? "h1" : "p";
  return (
    <>
      {message !== null && <h1 className="error-message">{message}</h1>}
      <Description className="error-description">
        {description ?? text(isNotFound ? "page_not_found" : "page_unavailable")}
      </Description>
      {isNotFound && (
        <a className="error-link" href="/">
          {text("page_not_found_link")}
        </a>
      )}
    </>
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
