-- Current starts and stops of resources, the record of each action, and bulk actions. Written only by the power, action and bulk actors.
create table "power" ("org_id" text not null, "cloud_account_id" text not null, "resource_uid" text not null, "live" jsonb null, "waiting" jsonb null, "last" jsonb null, "before" jsonb null, "seen" jsonb null, "n" int not null, "live_id" text null, "waiting_id" text null, "last_id" text null, primary key ("org_id", "cloud_account_id", "resource_uid"));
create index "power_org_id_live_id_index" on "power" ("org_id", "live_id");
create index "power_org_id_waiting_id_index" on "power" ("org_id", "waiting_id");
create index "power_org_id_last_id_index" on "power" ("org_id", "last_id");
create table "action" ("org_id" text not null, "cloud_account_id" text not null, "id" text not null, "resource_uid" text not null, "provider" text not null, "resource_type" text not null, "region" text not null, "action" text not null, "reason" text null, "status" text not null, "error_message" text null, "source" jsonb not null, "attempt" int not null, "next_attempt_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "ended_at" timestamptz(3) null, "revision" int not null, primary key ("org_id", "cloud_account_id", "id"));
create index "action_org_id_id_index" on "action" ("org_id", "id");
create index "action_org_id_ended_at_index" on "action" ("org_id", "ended_at");
create table "bulk_action" ("org_id" text not null, "id" text not null, "group_id" text not null, "type" text not null, "status" text not null, "reason" text null, "source" jsonb not null, "shown" boolean not null, "total" int not null, "completed" int not null, "failed" int not null, "members" jsonb not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "ended_at" timestamptz(3) null, primary key ("org_id", "id"));
create index "bulk_action_org_id_created_at_index" on "bulk_action" ("org_id", "created_at");
create index "bulk_action_org_id_ended_at_index" on "bulk_action" ("org_id", "ended_at");
alter table "power" enable row level security;
alter table "action" enable row level security;
alter table "bulk_action" enable row level security;
create policy "tenant" on "power" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "action" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "bulk_action" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "power", "action", "bulk_action" to "tidemark_tenant";
