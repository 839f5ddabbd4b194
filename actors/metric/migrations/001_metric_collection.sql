-- How far the metrics of accounts were fetched from their clouds. Written only by the metric-collection actor.
create table "metric_collection" ("org_id" text not null, "cloud_account_id" text not null, "begun_at" timestamptz(3) null, "through" timestamptz(3) null, "fetched" jsonb not null default '{}', primary key ("org_id", "cloud_account_id"));
alter table "metric_collection" enable row level security;
create policy "tenant" on "metric_collection" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "metric_collection" to "tidemark_tenant";
