-- Resource groups and their members. Written only by http/attribution/resource-group.ts.
create table "resource_group" ("org_id" text not null, "id" text not null, "name" text not null, "description" text null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
create unique index "resource_group_name" on "resource_group" ("org_id", lower("name"));
create table "resource_group_member" ("org_id" text not null, "group_id" text not null, "resource_uid" text not null, "tier" int not null, "place" int not null, "added_at" timestamptz(3) not null, primary key ("org_id", "group_id", "resource_uid"));
alter table "resource_group" enable row level security;
alter table "resource_group_member" enable row level security;
create policy "tenant" on "resource_group" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "resource_group_member" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "resource_group", "resource_group_member" to "tidemark_tenant";
