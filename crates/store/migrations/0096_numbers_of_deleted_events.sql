-- The largest number among the webhook events of a charge that were deleted. Its next event gets a larger one.
ALTER TABLE charges ADD COLUMN last_deleted_event BIGINT NOT NULL DEFAULT 0;
