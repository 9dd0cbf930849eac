-- Which programs can serve these tables: those that know this migration. A migration that takes something away raises the
-- number (docs/upgrades.md#what-a-migration-may-do).
CREATE TABLE oldest_program (
    migration BIGINT NOT NULL
);

INSERT INTO oldest_program (migration) VALUES (36);
