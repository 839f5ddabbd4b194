-- The current run of a job that has one run at a time, and the one that follows it.
alter table "job" add column "live_run_id" text not null default '', add column "next_run_id" text not null default '';
