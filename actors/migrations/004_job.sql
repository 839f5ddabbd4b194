-- Scheduled jobs of organizations. Written only by the job actor.
create table "job" ("org_id" text not null, "name" text not null, "next_due_at" timestamptz(3) null, "ended_run_id" text not null default '', "ended_at" timestamptz(3) null, "failure" text null, "through" text not null default '', primary key ("org_id", "name"));
alter table "job" enable row level security;
create policy "tenant" on "job" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "job" to "tidemark_tenant";
