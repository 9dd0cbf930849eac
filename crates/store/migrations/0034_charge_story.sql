-- What `cardform charge show` tells besides the states: each call to the provider and each try of a webhook, a line
-- each. The lines are added by the statements that change the row anyway, so a charge needs no statement more.

-- Lines of: unix milliseconds, what was done, what came of it, how many milliseconds it took.
ALTER TABLE attempts ADD COLUMN steps TEXT NOT NULL DEFAULT '';
-- Lines of: unix milliseconds, how many milliseconds the call took, the result.
ALTER TABLE webhook_events ADD COLUMN calls TEXT NOT NULL DEFAULT '';
