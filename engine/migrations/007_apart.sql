-- A message of several that ends its process, or holds what a store refuses, is run one by one in its place: which message that
-- is, how many of it have had their effect, and which one of it is marked (0: the message as a whole).
alter table lane
  add column if not exists apart_seq bigint not null default 0,
  add column if not exists apart_done integer not null default 0,
  add column if not exists marked_nth integer not null default 0;
