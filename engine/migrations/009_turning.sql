-- The run that turns over what a mark is of, from a moment before it is published until that is counted; 0: none does. What was answered
-- before stands until then, old as it is.
alter table mark add column if not exists turning bigint not null default 0;
create index if not exists mark_turning on mark (org_id, projection) where turning > 0;
