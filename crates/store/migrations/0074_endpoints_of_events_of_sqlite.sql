-- To which endpoint the row's event is sent; empty for the merchant's first endpoint, as in rows of older programs.
ALTER TABLE webhook_events ADD COLUMN endpoint_id TEXT NOT NULL DEFAULT '';

-- An endpoint that does not answer has many due events, and the others must be found without reading these.
CREATE INDEX IF NOT EXISTS webhook_events_due_by_endpoint ON webhook_events (partner_id, endpoint_id, next_try_at)
    WHERE state = 'due';
DROP INDEX webhook_events_due;
