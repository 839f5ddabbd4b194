-- Exports to object stores of organizations: plain records; and their runs: written only by the export-schedule actor.
create table "export_schedule" ("org_id" text not null, "id" uuid not null, "owner_id" text not null, "name" text not null, "kind" text not null, "place" jsonb not null, "prefix" text not null, "location" text not null, "cloud_account_id" text not null, "credentials" text null, "format" text not null, "version" text not null, "times" jsonb not null, "is_on" boolean not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
alter table "export_schedule" add constraint "export_schedule_location" unique ("org_id", "location");
alter table "export_schedule" add constraint "export_schedule_kind_check" check ("kind" in ('s3', 'azure_blob', 'gcs'));
alter table "export_schedule" add constraint "export_schedule_format_check" check ("format" in ('parquet', 'csv'));
alter table "export_schedule" add constraint "export_schedule_version_check" check ("version" in ('1.4', '1.2'));
alter table "export_schedule" enable row level security;
create policy "tenant" on "export_schedule" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "export_schedule" to "tidemark_tenant";

create table "export_schedule_state" ("org_id" text not null, "schedule_id" text not null, "times" jsonb null, "changed_at" timestamptz(3) null, "next_due_at" timestamptz(3) null, "live_run_id" text not null default '', "editions" jsonb not null, "runs" jsonb not null default '[]', primary key ("org_id", "schedule_id"));
alter table "export_schedule_state" enable row level security;
create policy "tenant" on "export_schedule_state" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "export_schedule_state" to "tidemark_tenant";
