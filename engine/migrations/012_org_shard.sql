-- The ClickHouse server of an organization, by its name in CLICKHOUSE_SHARDS. One without a row is on `main`. Written when an organization
-- is created, and by its move to another server.
create table org_shard (
  org_id     text primary key,
  shard      text not null,
  -- While its rows are being copied: the server they are copied to. Nothing reads them there.
  target     text,
  -- Until then, writers of facts wait; the last rows are being copied.
  held_until timestamptz,
  -- The server it was moved from, until its rows there are deleted.
  left_shard text,
  moved_at   timestamptz(3)
);

-- The newest position that each ClickHouse server other than `main` has confirmed, as `installation.clickhouse` is for `main`.
create table shard_position (
  shard    text primary key,
  position bigint not null
);

-- Messages of organizations whose ClickHouse server is away: their lane has stored them here with its commit, and runs them in this order
-- once the server is back. Written by the lane.
create table parked (
  lane    int not null,
  seq     bigint not null,
  org_id  text not null,
  subject text not null,
  headers jsonb not null,
  body    bytea not null,
  -- When the broker received it, milliseconds since 1970.
  at      bigint not null,
  primary key (lane, seq)
);
