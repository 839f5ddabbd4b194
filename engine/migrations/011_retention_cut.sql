-- The time before which each retention rule deletes, or rolls up: one row per rule that is not off. It only moves forward, also when more
-- is to be kept from now on. Written by the retention sweep.
create table if not exists retention_cut (
  name        text primary key,
  before      timestamptz(3) not null,
  recorded_at timestamptz(3) not null
);
