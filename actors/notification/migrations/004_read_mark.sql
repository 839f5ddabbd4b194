-- Until when a person has read what they were notified of in an organization. A plain record.
create table "notification_read" ("org_id" text not null, "user_id" text not null, "read_until" timestamptz(3) not null, primary key ("org_id", "user_id"));
alter table "notification_read" enable row level security;
create policy "tenant" on "notification_read" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "notification_read" to "tidemark_tenant";
