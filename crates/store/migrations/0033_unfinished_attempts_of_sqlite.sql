-- For IN with three words SQLite makes a table each time it checks whether a row belongs into the index, which is four
-- times in a charge. The same conditions as comparisons need none.

DROP INDEX attempts_one_under_way;
CREATE UNIQUE INDEX attempts_one_under_way ON attempts (charge_id)
    WHERE (state = 'in_flight' OR state = 'outcome_unknown' OR state = 'waiting_for_shopper_action');

DROP INDEX attempts_to_reconcile;
CREATE INDEX attempts_to_reconcile ON attempts (owner_until)
    WHERE (state = 'in_flight' OR state = 'outcome_unknown' OR state = 'waiting_for_shopper_action');
