-- Schedules, written only by the schedule actor. Their runs are now written only by the scheduler-event actor, one for each schedule.
create table "schedule" ("org_id" text not null, "id" text not null, "name" text not null, "description" text null, "timezone" text not null, "rules" jsonb not null, "resource_uids" jsonb not null, "resource_group_ids" jsonb not null, "skip_dates" jsonb not null, "enabled" boolean not null, "revision" int not null, "through" timestamptz(3) null, "last_run_at" timestamptz(3) null, "next_run_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
create index "schedule_org_id_name_index" on "schedule" ("org_id", "name");
-- Finds the schedules of a resource, or of one of its groups.
create index "schedule_resource_uids" on "schedule" using gin ("resource_uids" jsonb_path_ops) with (fastupdate = off);
create index "schedule_resource_group_ids" on "schedule" using gin ("resource_group_ids" jsonb_path_ops) with (fastupdate = off);
alter table "schedule" enable row level security;
create policy "tenant" on "schedule" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "schedule" to "tidemark_tenant";

-- Edges and engines of the previous version continue to write while they are replaced, or after a rollback: a later version drops their table and rights.
alter table "scheduler_event" drop constraint "scheduler_event_pkey";
alter table "scheduler_event" add primary key ("org_id", "schedule_id", "id");
alter table "scheduler_event" alter column "triggered_at" drop not null;
alter table "scheduler_event" add column "wanted" int not null default 0, add column "succeeded" int not null default 0, add column "failed" int not null default 0, add column "blocked" int not null default 0, add column "has_groups" boolean not null default false, add column "portions" int not null default 0, add column "portions_of" int not null default 0;
revoke select on "scheduler_event_log" from "tidemark_tenant";
create unique index "scheduler_event_org_id_id_unique" on "scheduler_event" ("org_id", "id");

-- Finds the accounts with a resource of this UID, and its groups: schedules, overrides and bulk actions have only UIDs.
create index if not exists "resource_org_id_uid_index" on "resource" ("org_id", "uid");
create index if not exists "resource_group_member_org_id_resource_uid_index" on "resource_group_member" ("org_id", "resource_uid");
