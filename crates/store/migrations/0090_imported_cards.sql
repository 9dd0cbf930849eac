-- A card that came with `cardform vault import` has no attempt that saved it.
ALTER TABLE saved_cards ALTER COLUMN attempt_id DROP NOT NULL;
