-- Merchants, their keys, charges and the attempts to pay them. Written in what SQLite and PostgreSQL both accept:
-- text ids, unix milliseconds as bigint, no serial keys.

CREATE TABLE partners (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    -- A JSON array of origins; empty for any.
    allowed_origins TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Only the SHA-256 of a secret key is kept.
CREATE TABLE secret_keys (
    sha256 TEXT PRIMARY KEY,
    partner_id TEXT NOT NULL REFERENCES partners (id),
    created_at BIGINT NOT NULL
);

CREATE INDEX secret_keys_of_partner ON secret_keys (partner_id);

-- The keys that sign client secrets. The newest signs, all verify.
CREATE TABLE signing_keys (
    id TEXT PRIMARY KEY,
    -- Ed25519, PKCS #8, base64.
    private_key TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE charges (
    id TEXT PRIMARY KEY,
    partner_id TEXT NOT NULL REFERENCES partners (id),
    status TEXT NOT NULL,
    decline_code TEXT,
    item_code TEXT NOT NULL,
    item_name TEXT NOT NULL,
    amount_value TEXT NOT NULL,
    amount_currency TEXT NOT NULL,
    partner_reference TEXT NOT NULL,
    partner_shopper_id TEXT NOT NULL,
    payment_method_country_code TEXT NOT NULL,
    partner_custom_data TEXT NOT NULL,
    shopper_id TEXT NOT NULL,
    shopper_email TEXT NOT NULL,
    zip_code TEXT,
    user_initiated BOOLEAN NOT NULL,
    enable_save_payment_method BOOLEAN,
    display_saved_payment_method_list BOOLEAN NOT NULL,
    eligible_save_payment_methods BOOLEAN NOT NULL,
    return_url TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX charges_of_partner ON charges (partner_id, id);

-- One row per press of the pay button that reached the provider, or was about to.
CREATE TABLE attempts (
    id TEXT PRIMARY KEY,
    charge_id TEXT NOT NULL REFERENCES charges (id),
    -- The page's idempotency key: one per press.
    press_key TEXT NOT NULL,
    -- The idempotency key that the provider gets.
    provider_key TEXT NOT NULL,
    state TEXT NOT NULL,
    decline_code TEXT,
    provider_reference TEXT,
    created_at BIGINT NOT NULL,
    -- Until then a living request or a reconciler looks after the attempt.
    owner_until BIGINT NOT NULL,
    finished_at BIGINT
);

CREATE UNIQUE INDEX attempts_by_press ON attempts (charge_id, press_key);
CREATE UNIQUE INDEX attempts_by_provider_key ON attempts (provider_key);
-- At most one attempt of a charge is under way, and at most one has paid it, whatever the code above believes.
CREATE UNIQUE INDEX attempts_one_under_way ON attempts (charge_id) WHERE state IN ('in_flight', 'outcome_unknown');
CREATE UNIQUE INDEX attempts_one_paid ON attempts (charge_id) WHERE state = 'succeeded';
CREATE INDEX attempts_to_reconcile ON attempts (owner_until) WHERE state IN ('in_flight', 'outcome_unknown');

-- Idempotency of POST /v1/charges: what a key was used for. The answer is built again from this, so that no client
-- secret is stored.
CREATE TABLE creations (
    partner_id TEXT NOT NULL REFERENCES partners (id),
    idempotency_key TEXT NOT NULL,
    body_sha256 TEXT NOT NULL,
    charge_id TEXT NOT NULL REFERENCES charges (id),
    token_id TEXT NOT NULL,
    signing_key_id TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (partner_id, idempotency_key)
);

CREATE INDEX creations_by_age ON creations (partner_id, created_at);
