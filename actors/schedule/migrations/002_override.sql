-- States in which resources are held for a while. Written only by the override actor.
create table "override" ("org_id" text not null, "id" text not null, "scope_type" text not null, "scope_id" text not null, "desired_state" text not null, "status" text not null, "expires_at" timestamptz(3) not null, "reason" text null, "user_id" text not null, "members" jsonb not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "ended_at" timestamptz(3) null, primary key ("org_id", "id"));
create index "override_org_id_created_at_index" on "override" ("org_id", "created_at");
-- Finds the overrides of a resource, or of a group that it is in.
create index "override_active" on "override" ("org_id", "scope_type", "scope_id") where status = 'active';
alter table "override" enable row level security;
create policy "tenant" on "override" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "override" to "tidemark_tenant";
