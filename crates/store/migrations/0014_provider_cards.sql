-- Saved cards at a provider that keeps them, too: its customers, its own reference of a card, and what it is still to
-- be told.

CREATE TABLE provider_customers (
    provider TEXT NOT NULL,
    partner_id TEXT NOT NULL REFERENCES partners (id),
    shopper_id TEXT NOT NULL,
    -- The provider's.
    reference TEXT NOT NULL,
    PRIMARY KEY (provider, partner_id, shopper_id)
);

-- The provider's references of the card and of its customer; absent where the provider does not keep it.
ALTER TABLE saved_cards ADD COLUMN provider_card TEXT;
ALTER TABLE saved_cards ADD COLUMN provider_customer TEXT;

-- One row per card that the provider is still to be told of, written in the transaction that saves or removes it.
CREATE TABLE provider_card_changes (
    provider_card TEXT PRIMARY KEY,
    provider_customer TEXT NOT NULL,
    -- attach or detach.
    kind TEXT NOT NULL,
    tries BIGINT NOT NULL,
    -- When it is tried next; while a node is at it, until when that node has it.
    due_at BIGINT NOT NULL
);

CREATE INDEX provider_card_changes_due ON provider_card_changes (due_at);
