-- Policies of organizations, of all domains, and the version of each domain's policies. Written only by actors/policy/change.ts.
create table "policy" ("org_id" text not null, "id" text not null, "domain" text not null, "target_type" text not null, "target_id" text null, "name" text not null, "spec" jsonb not null, "enabled" boolean not null, "version" int not null, "set_version" int not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
create unique index "policy_name" on "policy" ("org_id", "domain", lower("name"));
create table "policy_set" ("org_id" text not null, "domain" text not null, "version" int not null, primary key ("org_id", "domain"));
alter table "policy" enable row level security;
alter table "policy_set" enable row level security;
create policy "tenant" on "policy" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "policy_set" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "policy", "policy_set" to "tidemark_tenant";
