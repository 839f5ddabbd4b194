-- The runs that ended last, newest first: a process that waits for a run finds it even if others ended since.
alter table "job" add column "ended" jsonb not null default '[]';
