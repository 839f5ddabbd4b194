-- Notes that people put at days, shown in charts. A plain record.
create table "note" ("org_id" text not null, "id" text not null, "day" text not null, "text" text not null, "author_id" text not null, "created_at" timestamptz(3) not null, primary key ("org_id", "id"));
create index "note_org_id_day_index" on "note" ("org_id", "day");
alter table "note" enable row level security;
create policy "tenant" on "note" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "note" to "tidemark_tenant";
