-- Reports as files: their data besides the files themselves. Plain records.
create table "export_file" ("org_id" text not null, "id" text not null, "name" text not null, "format" text not null, "rows" int not null, "bytes" bigint not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("org_id", "id"));
alter table "export_file" add constraint "export_file_id_unique" unique ("id");
alter table "export_file" add constraint "export_file_format_check" check ("format" in ('csv', 'json'));
alter table "export_file" enable row level security;
create policy "tenant" on "export_file" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "export_file" to "tidemark_tenant";
