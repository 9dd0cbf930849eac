-- The name that a saved card has for its shopper, and whether the form selects it first. At most one card of a shopper is the
-- default.
ALTER TABLE saved_cards ADD COLUMN nickname TEXT;
ALTER TABLE saved_cards ADD COLUMN is_default BIGINT NOT NULL DEFAULT 0;
-- Whether the merchant was told that the card's last month has begun. Another date begins again.
ALTER TABLE saved_cards ADD COLUMN expiring_told BIGINT NOT NULL DEFAULT 0;
CREATE INDEX IF NOT EXISTS saved_cards_expiring ON saved_cards (expiration_year, expiration_month) WHERE expiring_told = 0;
CREATE INDEX IF NOT EXISTS saved_cards_by_provider_card ON saved_cards (provider_card) WHERE provider_card IS NOT NULL;
