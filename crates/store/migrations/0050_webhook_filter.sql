-- A merchant's endpoint may take some types of events only, and an event that waits for its retry lets later ones of its
-- charge pass.

-- A JSON list of types, like ["charge.succeeded"]; null for all.
ALTER TABLE webhook_endpoints ADD COLUMN events TEXT;
-- Until when a node has the event, while it sends it; 0 otherwise.
ALTER TABLE webhook_events ADD COLUMN leased_until BIGINT NOT NULL DEFAULT 0;
