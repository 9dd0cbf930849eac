-- The report's figures of the time that is over, counted minute by minute: all counts of a span of time are one row, which
-- a report reads at once. The release before keeps its own in report_spans, report_counts and report_changes.

-- The time that is counted without a gap, in unix milliseconds; counted_until is 0 before the first count.
CREATE TABLE report_progress (
    -- charges or visits.
    kind TEXT PRIMARY KEY,
    -- 0: there is nothing before.
    counted_from BIGINT NOT NULL,
    counted_until BIGINT NOT NULL,
    -- Two nodes that count at the same time: the slower one finds another number and gives up.
    version BIGINT NOT NULL,
    -- The version of report_spans that was seen last: only programs of the release before change it, which leave no notes
    -- here.
    seen_before BIGINT NOT NULL,
    -- When all is counted again because of them, in unix milliseconds; 0: not.
    again_at BIGINT NOT NULL
);

INSERT INTO report_progress (kind, counted_from, counted_until, version, seen_before, again_at)
    VALUES ('charges', 0, 0, 0, 0, 0), ('visits', 0, 0, 0, 0, 0);

CREATE TABLE report_tallies (
    kind TEXT NOT NULL,
    -- The length in milliseconds, and the begin.
    span BIGINT NOT NULL,
    at BIGINT NOT NULL,
    -- Each word with its counts (crates/store/src/report/tallies.rs). A span without anything has no row.
    tallies TEXT NOT NULL,
    PRIMARY KEY (kind, span, at)
);

-- Charges and visits that changed after their minute was over: it is counted again. Whoever changes one adds a row, and
-- nobody but the count removes any.
CREATE TABLE report_notes (
    kind TEXT NOT NULL,
    -- The begin of the minute.
    at BIGINT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (kind, at, id)
);
