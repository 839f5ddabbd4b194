-- Runs of schedules; written only by http/schedule/event.ts. How far they were copied to ClickHouse; written only by the scheduler-event
-- actor.
create table "scheduler_event" ("org_id" text not null, "id" text not null, "schedule_id" text not null, "action" text not null, "triggered_at" timestamptz(3) not null, "resources" jsonb not null, "status" text not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
create index "scheduler_event_org_id_triggered_at_index" on "scheduler_event" ("org_id", "triggered_at");
create index "scheduler_event_org_id_schedule_id_triggered_at_index" on "scheduler_event" ("org_id", "schedule_id", "triggered_at");
create table "scheduler_event_log" ("org_id" text not null, "key" text not null, "events" int not null, "last_at" timestamptz(3) null, primary key ("org_id", "key"));
alter table "scheduler_event" enable row level security;
alter table "scheduler_event_log" enable row level security;
create policy "tenant" on "scheduler_event" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "scheduler_event_log" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "scheduler_event" to "tidemark_tenant";
grant select on "scheduler_event_log" to "tidemark_tenant";
