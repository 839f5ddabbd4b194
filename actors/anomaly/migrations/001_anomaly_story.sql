-- Anomalies of a day with one cause, which people are notified of in one message. Written only by the story actor.
create table "anomaly_story" ("org_id" text not null, "key" text not null, "rows" jsonb not null, "told" jsonb not null, primary key ("org_id", "key"));
alter table "anomaly_story" enable row level security;
create policy "tenant" on "anomaly_story" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "anomaly_story" to "tidemark_tenant";
