-- A page of new charges keeps room for the next version of some of them. What is no longer seen is soon free again.
ALTER TABLE charges SET (fillfactor = 70);
