-- Old charges can leave. Whoever removes a charge looks for what belongs to it.

CREATE INDEX IF NOT EXISTS creations_of_charge ON creations (charge_id);
CREATE INDEX IF NOT EXISTS saved_cards_of_attempt ON saved_cards (attempt_id);

-- What the report counts of charges that were removed, so that it stays true.
CREATE TABLE removed_charges (
    -- The begin of the quarter of an hour in which they were made.
    at BIGINT NOT NULL,
    -- As in report_counts: status or paid, and its word.
    topic TEXT NOT NULL,
    name TEXT NOT NULL,
    counted BIGINT NOT NULL,
    amount TEXT NOT NULL,
    PRIMARY KEY (topic, at, name)
);
