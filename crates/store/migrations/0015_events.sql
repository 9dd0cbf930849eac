-- The events of shoppers' pages: kept here, or waiting here for a Kafka that is away.

-- The one row that gives out offsets and knows how much is kept. Whoever appends holds it until the end, so that events
-- appear in the order of their offsets.
CREATE TABLE event_log (
    id BIGINT PRIMARY KEY,
    next_offset BIGINT NOT NULL,
    -- The bytes of all batches.
    bytes BIGINT NOT NULL,
    -- The node that hands events on to Kafka, and until when; one at a time keeps their order.
    forwarder TEXT NOT NULL,
    forwarder_until BIGINT NOT NULL
);

INSERT INTO event_log (id, next_offset, bytes, forwarder, forwarder_until) VALUES (1, 0, 0, '', 0);

-- What came within a moment is one row, since a row for each event would cost ten times as much.
CREATE TABLE event_batches (
    -- The events of the batch have the offsets from this one on.
    first_offset BIGINT PRIMARY KEY,
    events BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    kept_at BIGINT NOT NULL,
    -- 1 until Kafka has it. In the database's own log it is 0.
    awaits_kafka BIGINT NOT NULL,
    -- A JSON array of {"key", "value", "partition"} as they came; without a key or a partition there is none.
    body TEXT NOT NULL
);

CREATE INDEX event_batches_by_age ON event_batches (kept_at);
CREATE INDEX event_batches_for_kafka ON event_batches (first_offset, events) WHERE awaits_kafka = 1;
