-- The run that goes on, of a job that has one at a time, and the one that is to follow it.
alter table "job" add column "live_run_id" text not null default '', add column "next_run_id" text not null default '';
