-- The networks of a saved card's number, with spaces between, and the one that the shopper chose last. Both are null for cards
-- that an earlier version saved, and for numbers that no range has.
ALTER TABLE saved_cards ADD COLUMN networks TEXT;
ALTER TABLE saved_cards ADD COLUMN network TEXT;
