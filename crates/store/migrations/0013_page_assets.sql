-- The page's files of this build and of earlier ones: a page that was loaded before an update still finds its own.

CREATE TABLE page_assets (
    path TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    kept_at BIGINT NOT NULL
);
