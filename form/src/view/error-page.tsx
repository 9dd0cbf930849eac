// The error pages (docs/form.md#error-pages): the status, what it means, and for a missing page a link home. A payment link
// that does not work tells the shopper what to do, and the developer why.

import type { ErrorPage } from "../../generated/wire.ts";
import { type Text, textOf } from "../i18n/text.ts";

const NOT_FOUND = 404;
const SERVER_ERROR = 500;

export function ErrorApp({ page }: { readonly page: ErrorPage }) {
  const text = textOf(page.context);
  const { status } = page;
  return (
    <main className="error-page">
      <div className="panel">
        <p className="error-status">{status}</p>
        {status >= SERVER_ERROR || status === NOT_FOUND ? (
          <Missing page={page} text={text} />
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
function Missing({ page, text }: { readonly page: ErrorPage; readonly text: Text }) {
  const { status, message, description } = page;
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
