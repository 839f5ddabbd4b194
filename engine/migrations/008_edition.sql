-- How often what an organization's questions are answered from has been written: each table of facts, by each lane's commits, and what each
-- projection works out. Whatever was answered under other numbers may be another now. Counted by the transaction that says what was
-- written: facts are there a moment before, and what a projection has begun to turn over still has its mark.
create table edition (
  org_id text not null,
  name   text not null,
  lane   integer not null,
  number bigint not null default 1,
  primary key (org_id, name, lane)
) with (fillfactor = 50);
