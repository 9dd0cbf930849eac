-- Each node writes a row here and removes it, to know that the database takes writes. The table is empty otherwise.

CREATE TABLE health_checks (
    node TEXT PRIMARY KEY,
    at BIGINT NOT NULL
);
