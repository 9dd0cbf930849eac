-- When the money of a charge is taken, what the merchant wants to be told again, and the sums after the payment. A sum that
-- is null was never changed: nothing is refunded, and a paid charge is captured in full.
ALTER TABLE charges ADD COLUMN capture_method TEXT NOT NULL DEFAULT 'automatic';
ALTER TABLE charges ADD COLUMN capture_after_hours BIGINT;
ALTER TABLE charges ADD COLUMN metadata TEXT;
ALTER TABLE charges ADD COLUMN statement_descriptor TEXT;
-- When the hold ends by itself, and when the service captures it, in unix milliseconds; null without a hold.
ALTER TABLE charges ADD COLUMN capture_before BIGINT;
ALTER TABLE charges ADD COLUMN capture_at BIGINT;
ALTER TABLE charges ADD COLUMN amount_captured TEXT;
ALTER TABLE charges ADD COLUMN amount_refunded TEXT;
ALTER TABLE charges ADD COLUMN paid_at BIGINT;

-- The charges whose money is held, and when the service looks at them next, in unix milliseconds. An index of charges by
-- their status would be written with every payment.
CREATE TABLE holds (
    charge_id TEXT PRIMARY KEY NOT NULL,
    look_at BIGINT NOT NULL
);
CREATE INDEX holds_by_time ON holds (look_at);

-- The rest of the card, and what the provider told of the payment, as JSON.
ALTER TABLE attempts ADD COLUMN card_details TEXT;
ALTER TABLE attempts ADD COLUMN facts TEXT;

-- What happens to the money after the payment: refunds, captures and releases of holds. A row is written before the provider
-- is called.
CREATE TABLE operations (
    id TEXT PRIMARY KEY NOT NULL,
    -- refund, capture or release
    kind TEXT NOT NULL,
    charge_id TEXT NOT NULL,
    partner_id TEXT NOT NULL,
    -- The attempt whose payment it changes.
    attempt_id TEXT NOT NULL,
    -- processing, pending, succeeded, failed or outcome_unknown
    state TEXT NOT NULL,
    amount_value TEXT NOT NULL,
    reason TEXT,
    metadata TEXT,
    failure_code TEXT,
    -- The provider makes at most one refund or capture per key.
    provider_key TEXT NOT NULL UNIQUE,
    provider_reference TEXT,
    -- The merchant's key of the request and the hash of its body.
    idempotency_key TEXT,
    body_sha256 TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- Until then the node that begun it, or that asks for its outcome, works on it. Null once nothing is left to do.
    owner_until BIGINT
);
CREATE INDEX operations_of_charge ON operations (charge_id, created_at);
CREATE INDEX operations_under_way ON operations (owner_until) WHERE owner_until IS NOT NULL;
