-- A message that ends its process may stand anywhere in what a lane had read ahead: until the cursor is past that place, the
-- lane remembers how many owners in a row have ended without giving it up. tries and tries_cursor are those of versions before.
alter table lane
  add column if not exists ends integer not null default 0,
  add column if not exists suspect_until bigint not null default 0;
