-- Beside the counts of a minute: each of its charges or visits with its time (crates/store/src/report/cases.rs), so that a
-- report that begins or ends within the minute need not read their rows. Empty where they are too many, in longer spans,
-- and in minutes that were counted before this column was there.
ALTER TABLE report_tallies ADD COLUMN cases TEXT NOT NULL DEFAULT '';
