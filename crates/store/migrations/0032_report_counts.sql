-- The report's figures of the time that is over, counted once: a month has millions of charges and of visits.

-- The time that is counted without a gap, in unix milliseconds; counted_until is 0 before the first count.
CREATE TABLE report_spans (
    -- charges or visits.
    kind TEXT PRIMARY KEY,
    -- 0: there is nothing before.
    counted_from BIGINT NOT NULL,
    counted_until BIGINT NOT NULL,
    -- Two nodes that count at the same time: the slower one finds another number and gives up.
    version BIGINT NOT NULL
);

INSERT INTO report_spans (kind, counted_from, counted_until, version) VALUES ('charges', 0, 0, 0), ('visits', 0, 0, 0);

CREATE TABLE report_counts (
    kind TEXT NOT NULL,
    -- The length in milliseconds, and the begin.
    span BIGINT NOT NULL,
    at BIGINT NOT NULL,
    -- What is counted, and its word: a status, a currency, a field …
    topic TEXT NOT NULL,
    name TEXT NOT NULL,
    -- Of visits the furthest step, otherwise 0; and the variation of an experiment, otherwise 0.
    step BIGINT NOT NULL,
    variation BIGINT NOT NULL,
    counted BIGINT NOT NULL,
    -- The sum of what was paid, otherwise 0.
    amount TEXT NOT NULL
);

-- It has all columns, so that no row is read.
CREATE INDEX report_counts_by_time
    ON report_counts (kind, span, at, topic, name, step, variation, counted, amount);

-- Charges and visits that changed long after they began: the time in which they began is counted again. Whoever changes
-- one adds a row, and nobody but the count removes any.
CREATE TABLE report_changes (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    -- The begin of the span that is to be counted again.
    at BIGINT NOT NULL
);

CREATE INDEX report_changes_by_time ON report_changes (kind, at);
