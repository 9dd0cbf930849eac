-- Attempts that wait for the shopper: what the shopper must do, and until when it may be done.

ALTER TABLE attempts ADD COLUMN shopper_action TEXT;
ALTER TABLE attempts ADD COLUMN action_until BIGINT;

-- An attempt that waits is under way, too.
DROP INDEX attempts_one_under_way;
CREATE UNIQUE INDEX attempts_one_under_way ON attempts (charge_id)
    WHERE state IN ('in_flight', 'outcome_unknown', 'waiting_for_shopper_action');
DROP INDEX attempts_to_reconcile;
CREATE INDEX attempts_to_reconcile ON attempts (owner_until)
    WHERE state IN ('in_flight', 'outcome_unknown', 'waiting_for_shopper_action');
