-- Whom a call goes to, where some of a work's calls must not wait for others of it: those of one queue are few at once.
alter table effect add column queue text not null default '';
create index effect_queue on effect (name, org_id, queue, due) where queue <> '';
-- Each row is claimed once at least: in its own page, so that no index hears of it.
alter table effect set (fillfactor = 60);
