-- A merchant finds charges, the newest first. Each column is fixed when the charge is made, so a payment writes to none of
-- these indexes. `id` orders the charges of one millisecond.
CREATE INDEX IF NOT EXISTS charges_of_partner_by_time ON charges (partner_id, created_at, id);
CREATE INDEX IF NOT EXISTS charges_by_reference ON charges (partner_id, partner_reference, created_at, id);
CREATE INDEX IF NOT EXISTS charges_of_shopper ON charges (partner_id, shopper_id, created_at, id) WHERE shopper_id <> '';
-- No statement used it.
DROP INDEX charges_of_partner;
