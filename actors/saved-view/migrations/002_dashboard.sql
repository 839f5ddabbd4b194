-- Saved views on one page, in order. A plain record; it is emailed by rows of report_schedule, whose view_id names it.
create table "dashboard" ("org_id" text not null, "id" text not null, "owner_id" text not null, "holder" text not null, "name" text not null, "view_ids" jsonb not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
alter table "dashboard" add constraint "dashboard_name" unique ("org_id", "holder", "name");
alter table "dashboard" enable row level security;
create policy "tenant" on "dashboard" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "dashboard" to "tidemark_tenant";
