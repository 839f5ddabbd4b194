-- What later anomalies of a dimension are compared with. Written only by the anomaly actor.
create table "anomaly_series" ("org_id" text not null, "key" text not null, "stored" jsonb not null default '[]', primary key ("org_id", "key"));
alter table "anomaly_series" enable row level security;
create policy "tenant" on "anomaly_series" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "anomaly_series" to "tidemark_tenant";
-- Whether changed costs of the current day still have to be checked. Written only by the cost watch actor.
create table "cost_watch" ("org_id" text not null, "key" text not null, "is_waiting" boolean not null, primary key ("org_id", "key"));
alter table "cost_watch" enable row level security;
create policy "tenant" on "cost_watch" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "cost_watch" to "tidemark_tenant";
