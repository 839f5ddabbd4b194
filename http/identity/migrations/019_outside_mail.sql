-- Emails of the last day to people who have not requested them.
create table "outside_mail" ("id" uuid not null, "org_id" text not null, "recipient" text not null, "sent_at" timestamptz(3) not null, primary key ("id"));
create index "outside_mail_org_id_index" on "outside_mail" ("org_id");
create index "outside_mail_sent_at_index" on "outside_mail" ("sent_at");
alter table "outside_mail" enable row level security;
create policy "tenant" on "outside_mail" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
