-- Teams of resources by rule, written only by actors/attribution/allocation/allocate.ts, and whether an organization has or had allocation
-- rules and rules for shared costs: without them, queries are shorter.
create table "allocated_resource" ("org_id" text not null, "cloud_account_id" text not null, "resource_uid" text not null, "team_id" text not null, "policy_id" text not null, "since" timestamptz(3) not null, primary key ("org_id", "cloud_account_id", "resource_uid"));
create index "allocated_resource_org_id_team_id_index" on "allocated_resource" ("org_id", "team_id");
create index "allocated_resource_org_id_resource_uid_index" on "allocated_resource" ("org_id", "resource_uid");
alter table "allocated_resource" enable row level security;
create policy "tenant" on "allocated_resource" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "allocated_resource" to "tidemark_tenant";
alter table "attribution_clock" add column "allocated" boolean not null default false, add column "shared" boolean not null default false;
