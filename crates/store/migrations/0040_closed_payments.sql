-- While this table has a row nobody pays: the database was restored to an earlier moment, and the provider knows payments
-- that it does not know.

CREATE TABLE payment_closures (
    -- The same for all, so that there is at most one.
    id TEXT PRIMARY KEY,
    -- Payments since this time, in unix milliseconds, must be asked for.
    since BIGINT NOT NULL,
    closed_at BIGINT NOT NULL
);
