-- Keys that turn: secret keys have an id and an end, signing keys are wrapped and end, merchants can be switched off,
-- and every such act leaves a line.

-- 0: takes no new charges and no payments.
ALTER TABLE partners ADD COLUMN active BIGINT NOT NULL DEFAULT 1;

ALTER TABLE secret_keys ADD COLUMN id TEXT NOT NULL DEFAULT '';
-- The key's last characters, by which people know it again; empty for keys from before.
ALTER TABLE secret_keys ADD COLUMN ends_with TEXT NOT NULL DEFAULT '';
-- From then on it opens nothing; absent, it has no end.
ALTER TABLE secret_keys ADD COLUMN ends_at BIGINT;
-- 1: it was ended at once, whatever the clocks say.
ALTER TABLE secret_keys ADD COLUMN revoked BIGINT NOT NULL DEFAULT 0;
UPDATE secret_keys SET id = 'key_' || substr(sha256, 1, 32);

-- The vault's key that wraps private_key; absent, it lies there as it is. An ended key's private_key is empty.
ALTER TABLE signing_keys ADD COLUMN wrapped_by TEXT;
ALTER TABLE signing_keys ADD COLUMN ends_at BIGINT;

-- Who did what to keys and merchants, and whoever opened a stored card. Lines are added and never changed or removed,
-- which triggers hold (see store/audit_log.rs).
CREATE TABLE audit_log (
    -- Sorts by time.
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    -- The id of what it was done to.
    subject TEXT NOT NULL,
    -- A JSON object.
    detail TEXT NOT NULL
);

CREATE INDEX audit_log_of_subject ON audit_log (subject, id);
