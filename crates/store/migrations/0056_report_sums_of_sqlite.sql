-- The counts of a span of time under one number (crates/store/src/report/place.rs), so that spans that follow each other
-- stand side by side, and the cases of minutes apart from them, because few reports read one. The minutes are counted anew.
-- No release knows the table that goes.

CREATE TABLE report_sums (
    place INTEGER PRIMARY KEY,
    -- Each word with its counts (crates/store/src/report/tallies.rs). A span without anything has no row.
    tallies TEXT NOT NULL
);

-- Each charge or visit of a minute with its time (crates/store/src/report/cases.rs). A minute with too many has no row.
CREATE TABLE report_cases (
    place INTEGER PRIMARY KEY,
    cases TEXT NOT NULL
);

UPDATE report_progress SET counted_from = 0, counted_until = 0, version = version + 1;

DROP TABLE report_tallies;
