-- Savings of stopped resources while they are stopped. Written only by the saving actor.
create table "saving" ("org_id" text not null, "cloud_account_id" text not null, "uid" text not null, "stops" jsonb not null default '[]', "ends" jsonb not null default '[]', "since" text not null default '', "carried" jsonb not null default '[]', "through" text not null default '', primary key ("org_id", "cloud_account_id", "uid"));
alter table "saving" enable row level security;
create policy "tenant" on "saving" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "saving" to "tidemark_tenant";
