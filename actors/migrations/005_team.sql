-- Teams, and the team of each resource. Written only by http/attribution/team.ts.
create table "team" ("org_id" text not null, "id" text not null, "name" text not null, "description" text null, "member_user_ids" jsonb not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
create unique index "team_name" on "team" ("org_id", lower("name"));
create table "team_resource" ("org_id" text not null, "resource_uid" text not null, "team_id" text not null, "assigned_at" timestamptz(3) not null, primary key ("org_id", "resource_uid"));
create index "team_resource_org_id_team_id_index" on "team_resource" ("org_id", "team_id");
-- When teams and groups of an organization last changed. Written only by http/attribution/attribution.ts.
create table "attribution_clock" ("org_id" text not null, "at" timestamptz(3) not null, primary key ("org_id"));
-- How far they were copied to ClickHouse. Written only by the attribution actor.
create table "attribution_log" ("org_id" text not null, "key" text not null, "changes" int not null, "last_at" timestamptz(3) null, primary key ("org_id", "key"));
alter table "team" enable row level security;
alter table "team_resource" enable row level security;
alter table "attribution_clock" enable row level security;
alter table "attribution_log" enable row level security;
create policy "tenant" on "team" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "team_resource" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "attribution_clock" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "attribution_log" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "team", "team_resource" to "tidemark_tenant";
grant select, insert, update on "attribution_clock" to "tidemark_tenant";
grant select on "attribution_log" to "tidemark_tenant";
