-- Saved cards: what may be shown of a card, and its number sealed by the vault. No security code is ever in here.

CREATE TABLE saved_cards (
    -- `pm_…`, the payment method's id.
    id TEXT PRIMARY KEY,
    -- `card_…`
    card_id TEXT NOT NULL,
    partner_id TEXT NOT NULL REFERENCES partners (id),
    shopper_id TEXT NOT NULL,
    -- `pending` while the attempt that pays with it is under way, then `saved`; of a removed card no row is left.
    state TEXT NOT NULL,
    -- The attempt that shall pay with it.
    attempt_id TEXT NOT NULL REFERENCES attempts (id),
    -- The saved card that a pending one turned out to be, by whichever key: that one is refreshed instead.
    same_as TEXT,
    -- Keyed by `key_id`'s key, so that it says nothing to whoever reads only the database.
    fingerprint TEXT NOT NULL,
    -- The key-encryption key, the data key that it wraps, and the number that the data key seals: base64.
    key_id TEXT NOT NULL,
    wrapped_key TEXT NOT NULL,
    sealed_number TEXT NOT NULL,
    -- By the rules' table; empty when the number tells none.
    brand TEXT NOT NULL,
    first_six TEXT NOT NULL,
    last_four TEXT NOT NULL,
    expiration_month BIGINT NOT NULL,
    expiration_year BIGINT NOT NULL,
    -- As typed, or empty.
    holder_name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- When it last paid and was saved: the list's order.
    saved_at BIGINT NOT NULL
);

-- The list, and nobody else's card in it.
CREATE INDEX saved_cards_of_shopper ON saved_cards (partner_id, shopper_id, saved_at, id) WHERE state = 'saved';
-- A shopper has a card once.
CREATE UNIQUE INDEX saved_cards_once ON saved_cards (partner_id, shopper_id, fingerprint) WHERE state = 'saved';
CREATE UNIQUE INDEX saved_cards_pending ON saved_cards (attempt_id) WHERE state = 'pending';
-- For the rotation of keys.
CREATE INDEX saved_cards_by_key ON saved_cards (key_id, id);
