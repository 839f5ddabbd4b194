-- Business figures of organizations: plain records; and the state of their values: written only by the unit-metric actor.
create table "unit_metric" ("org_id" text not null, "id" uuid not null, "name" text not null, "key" text not null, "unit" text not null, "ingestion" text not null, "aggregation" text not null, "pull" jsonb null, "pull_headers" text null, "cost_scope" jsonb null, "series_id" uuid not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
alter table "unit_metric" add constraint "unit_metric_org_id_key_unique" unique ("org_id", "key");
alter table "unit_metric" add constraint "unit_metric_ingestion_check" check ("ingestion" in ('push', 'pull', 'csv'));
alter table "unit_metric" add constraint "unit_metric_aggregation_check" check ("aggregation" in ('sum', 'avg', 'max', 'last'));
alter table "unit_metric" enable row level security;
create policy "tenant" on "unit_metric" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "unit_metric" to "tidemark_tenant";

create table "unit_metric_feed" ("org_id" text not null, "metric_id" text not null, "series_id" text not null default '', "last_ingested_at" timestamptz(3) null, "interval_minutes" int null, "next_pull_at" timestamptz(3) null, "pull_changed_at" timestamptz(3) null, "failure" text null, primary key ("org_id", "metric_id"));
alter table "unit_metric_feed" enable row level security;
create policy "tenant" on "unit_metric_feed" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "unit_metric_feed" to "tidemark_tenant";
