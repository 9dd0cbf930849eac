-- A charge's status changes at least twice, and was in three indexes. Now it is in none: PostgreSQL changes the row in its
-- page and writes to no index, SQLite writes three pages less.

-- Charges over time: reports, retention, and what expires.
CREATE INDEX IF NOT EXISTS charges_by_creation ON charges (created_at);

-- What was found out about charges whose time has run out.
CREATE TABLE charge_expiry (
    -- There is one row: charges.
    name TEXT PRIMARY KEY,
    -- Every charge made until then, in unix milliseconds, has ended or is in overdue_charges.
    settled_until BIGINT NOT NULL
);

-- A minute before the oldest charge that is open; without one, before the newest charge.
INSERT INTO charge_expiry (name, settled_until)
    SELECT 'charges', COALESCE(
        (SELECT MIN(created_at) FROM charges
            WHERE status IN ('created', 'processing', 'waiting_for_shopper_action', 'outcome_unknown', 'failed')),
        (SELECT MAX(created_at) FROM charges),
        60000
    ) - 60000;

-- Charges whose time ran out while a card was with the provider: they expire when it was declined.
CREATE TABLE overdue_charges (
    charge_id TEXT PRIMARY KEY
);

DROP INDEX charges_by_time;
DROP INDEX charges_paid;
DROP INDEX charges_to_expire;
