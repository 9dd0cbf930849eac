-- A merchant has several webhook endpoints. The first one stays in webhook_endpoints, which has one row per merchant and
-- which older programs use; the others are here.

-- Null in a row that an older program wrote: the id is then made from the merchant's.
ALTER TABLE webhook_endpoints ADD COLUMN id TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN description TEXT;

CREATE TABLE further_webhook_endpoints (
    id TEXT PRIMARY KEY NOT NULL,
    partner_id TEXT NOT NULL REFERENCES partners (id),
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    wrapped_by TEXT,
    events TEXT,
    description TEXT,
    created_at BIGINT NOT NULL,
    silent_calls BIGINT NOT NULL,
    paused_until BIGINT NOT NULL
);
CREATE INDEX further_webhook_endpoints_of_partner ON further_webhook_endpoints (partner_id);

-- An event has a row for each endpoint that takes it. The first row has the event's id and number; the others have ids and
-- numbers of their own, and these two columns name the first row's.
ALTER TABLE webhook_events ADD COLUMN event_id TEXT;
ALTER TABLE webhook_events ADD COLUMN sequence BIGINT;
