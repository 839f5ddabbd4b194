-- The time before which data of a retention rule was deleted: one row per rule that has deleted something. It only moves forward, also
-- when more is to be kept from now on. Written by the retention sweep.
create table if not exists retention_cut (
  name        text primary key,
  before      timestamptz(3) not null,
  recorded_at timestamptz(3) not null
);
