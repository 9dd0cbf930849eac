-- The report's figures of hours that are over: how many charges and visits of an hour there are of each word. Nothing that
-- writes a charge or a visit knows of these tables. The release before keeps its own figures in report_spans,
-- report_counts and report_changes. No release knows the tables that go.

CREATE TABLE report_tally (
    -- charges or visits.
    kind TEXT NOT NULL,
    -- The begin of the hour, in unix milliseconds.
    hour BIGINT NOT NULL,
    -- Of charges the status, of visits what the word is: locale, field …
    topic TEXT NOT NULL,
    -- Of paid charges the currency, of declined ones the reason, of visits a word of ours.
    word TEXT NOT NULL,
    -- How many. Of visits also how many came as far as each step or further.
    count BIGINT NOT NULL,
    started BIGINT NOT NULL,
    ready BIGINT NOT NULL,
    submitted BIGINT NOT NULL,
    paid BIGINT NOT NULL,
    -- What paid charges come to, in ten-thousandths of the currency's unit.
    amount BIGINT NOT NULL
);

-- It has all columns, so that no row is read.
CREATE INDEX report_tally_by_hour
    ON report_tally (kind, hour, topic, word, count, started, ready, submitted, paid, amount);

-- The time that is tallied without a gap, in unix milliseconds.
CREATE TABLE report_tallied (
    kind TEXT PRIMARY KEY,
    -- 0: there is nothing before.
    tallied_from BIGINT NOT NULL,
    -- 0 before the first hour is tallied.
    tallied_until BIGINT NOT NULL,
    -- Each change has the next number. A node that read rows before another node's change finds another number, and
    -- writes nothing.
    version BIGINT NOT NULL
);

INSERT INTO report_tallied (kind, tallied_from, tallied_until, version)
    VALUES ('charges', 0, 0, 0), ('visits', 0, 0, 0);

-- Tallied hours in which a charge or a visit can still change. They are tallied again.
CREATE TABLE report_open_hours (
    kind TEXT NOT NULL,
    hour BIGINT NOT NULL,
    PRIMARY KEY (kind, hour)
);

DROP TABLE report_progress;
DROP TABLE report_sums;
DROP TABLE report_cases;
DROP TABLE report_notes;
