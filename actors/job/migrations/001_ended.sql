-- The runs that ended last, newest first: whoever waits for one finds it though others ended since.
alter table "job" add column "ended" jsonb not null default '[]';
