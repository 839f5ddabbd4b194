-- Which installation the stores belong to, and how far they know of each other. One row. Written by every process that has opened
-- all three stores, and by the command that accepts a store which was lost.
create table if not exists installation (
  singleton boolean primary key default true check (singleton),
  id text not null,
  -- Drawn before it is written to ClickHouse, so never less than what ClickHouse has.
  position bigint not null default 0,
  -- The newest that ClickHouse has answered for; 0 while it has never been seen.
  clickhouse bigint not null default 0,
  -- Whether the streams bear the id.
  nats boolean not null default false
);
