-- What a merchant changed of a charge before it was paid: what the charge said until then. A charge that leaves takes its
-- changes along.
CREATE TABLE charge_changes (
    id TEXT PRIMARY KEY,
    charge_id TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    item_code TEXT NOT NULL,
    item_name TEXT NOT NULL,
    amount_value TEXT NOT NULL,
    amount_currency TEXT NOT NULL
);

CREATE INDEX charge_changes_of_charge ON charge_changes (charge_id, changed_at);
