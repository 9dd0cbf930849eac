-- What merchants are told of their charges: where, and the events still to be sent. And how often cards were tried.

-- A merchant has one endpoint or none.
CREATE TABLE webhook_endpoints (
    partner_id TEXT PRIMARY KEY REFERENCES partners (id),
    url TEXT NOT NULL,
    -- whsec_ and base64: signs every event, so it is kept as it is.
    secret TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- Calls in a row that were not answered at all, and until when nothing is sent because of them.
    silent_calls BIGINT NOT NULL,
    paused_until BIGINT NOT NULL
);

-- One row per change of a charge's state, written in the transaction that makes the change.
CREATE TABLE webhook_events (
    id TEXT PRIMARY KEY,
    partner_id TEXT NOT NULL REFERENCES partners (id),
    charge_id TEXT NOT NULL REFERENCES charges (id),
    -- From 1 in each charge: the order of sending.
    number BIGINT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    -- due, queued behind an earlier event of the charge, delivered, given_up.
    state TEXT NOT NULL,
    tries BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    -- When it is tried next; while a node is sending it, until when that node has it.
    next_try_at BIGINT NOT NULL,
    -- From then on a failed try is the last one.
    give_up_at BIGINT NOT NULL,
    -- The last answer's status or what kept it from coming.
    last_result TEXT,
    finished_at BIGINT
);

CREATE UNIQUE INDEX webhook_events_of_charge ON webhook_events (charge_id, number);
CREATE INDEX webhook_events_due ON webhook_events (partner_id, next_try_at) WHERE state = 'due';
CREATE INDEX webhook_events_of_partner ON webhook_events (partner_id, created_at);
CREATE INDEX webhook_events_finished ON webhook_events (finished_at) WHERE finished_at IS NOT NULL;

-- Attempts to pay, counted in fixed windows against card testing.
CREATE TABLE attempt_counts (
    -- charge, address, card or partner, with the window's length, and who of them.
    subject TEXT NOT NULL,
    window_start BIGINT NOT NULL,
    -- Busy subjects are counted in several rows, so that their attempts do not wait for each other.
    part BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    window_end BIGINT NOT NULL,
    PRIMARY KEY (subject, window_start, part)
);

CREATE INDEX attempt_counts_by_end ON attempt_counts (window_end);
