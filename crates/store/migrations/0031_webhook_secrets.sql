-- The vault's key that wraps a webhook's secret; absent, the secret lies there as it is.
ALTER TABLE webhook_endpoints ADD COLUMN wrapped_by TEXT;
