-- What was paid over time, in each currency: each sum is a piece of the index, so that no row is read.

CREATE INDEX charges_paid ON charges (created_at, amount_currency, amount_value) WHERE status = 'succeeded';
