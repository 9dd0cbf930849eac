-- Disputes: a shopper's bank asks a payment back. The provider tells of them.
CREATE TABLE disputes (
    id TEXT PRIMARY KEY NOT NULL,
    charge_id TEXT NOT NULL,
    partner_id TEXT NOT NULL,
    provider_reference TEXT NOT NULL UNIQUE,
    -- open, won or lost
    status TEXT NOT NULL,
    amount_value TEXT NOT NULL,
    amount_currency TEXT NOT NULL,
    reason TEXT,
    -- Until when the merchant can answer, in unix milliseconds.
    respond_before BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX disputes_of_charge ON disputes (charge_id);
CREATE INDEX disputes_of_partner ON disputes (partner_id, created_at);
