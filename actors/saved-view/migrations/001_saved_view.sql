-- Saved views of the console, and when they are emailed. Plain records.
create table "saved_view" ("org_id" text not null, "id" text not null, "owner_id" text not null, "holder" text not null, "name" text not null, "view" text not null, "query" text not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
alter table "saved_view" add constraint "saved_view_name" unique ("org_id", "holder", "name");
create table "report_schedule" ("org_id" text not null, "id" text not null, "view_id" text not null, "owner_id" text not null, "every" text not null, "weekday" int not null, "day" int not null, "hour" int not null, "timezone" text not null, "recipients" jsonb not null, "unsubscribed" jsonb not null, "is_on" boolean not null, "next_due_at" timestamptz(3) null, "last" jsonb null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
create index "report_schedule_org_id_view_id_index" on "report_schedule" ("org_id", "view_id");
create index "report_schedule_org_id_next_due_at_index" on "report_schedule" ("org_id", "next_due_at");
alter table "report_schedule" add constraint "report_schedule_every_check" check ("every" in ('week', 'month'));
alter table "saved_view" enable row level security;
create policy "tenant" on "saved_view" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
alter table "report_schedule" enable row level security;
create policy "tenant" on "report_schedule" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "saved_view", "report_schedule" to "tidemark_tenant";
