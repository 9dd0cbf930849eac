-- What the shopper agrees to when the card of a charge is saved: on_session or off_session.
ALTER TABLE charges ADD COLUMN save_card_usage TEXT NOT NULL DEFAULT 'on_session';

-- What the shopper agreed to when the card was saved, when (unix milliseconds), and by which text in which locale. All are
-- null for cards that an earlier version saved. A page may leave out text and locale.
ALTER TABLE saved_cards ADD COLUMN agreement_usage TEXT;
ALTER TABLE saved_cards ADD COLUMN agreement_accepted_at BIGINT;
ALTER TABLE saved_cards ADD COLUMN agreement_text_id TEXT;
ALTER TABLE saved_cards ADD COLUMN agreement_locale TEXT;
-- The card network's id of the payment at which the shopper agreed, if the provider told it.
ALTER TABLE saved_cards ADD COLUMN network_transaction_id TEXT;
