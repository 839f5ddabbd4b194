-- A number of its own for each process, and for one that has gone until the last of what it began has surely ended: what two
-- processes write at the same time they keep apart by it.
alter table process add column if not exists track smallint;
