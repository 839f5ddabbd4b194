-- Closed months with their totals. Written only by the snapshot actor.
create table "snapshot" ("org_id" text not null, "period" text not null, "id" uuid not null, "total_cost_usd" numeric(38,14) not null, "total_savings_usd" numeric(38,14) not null, "resource_count" int not null, "created_at" timestamptz(3) not null, primary key ("org_id", "period"));
alter table "snapshot" enable row level security;
create policy "tenant" on "snapshot" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "snapshot" to "tidemark_tenant";
