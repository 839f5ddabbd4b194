-- Uploaded bills: their contents and status. Plain records.
create table "bill_upload" ("org_id" text not null, "id" text not null, "cloud_account_id" text not null, "exported_at" timestamptz(3) not null, "state" text not null, "message" text null, "files" jsonb not null, "rows" bigint not null, "accepted" bigint not null, "refused" bigint not null, "reasons" jsonb not null, "billed" jsonb not null, "periods" jsonb not null, "lanes" jsonb not null, "outcome" jsonb not null, "confirmed" boolean not null, "created_at" timestamptz(3) not null, "heard_at" timestamptz(3) not null, "applied_at" timestamptz(3) null, "expires_at" timestamptz(3) not null, primary key ("org_id", "id"));
create index "bill_upload_created" on "bill_upload" ("org_id", "created_at");
alter table "bill_upload" add constraint "bill_upload_state_check" check ("state" in ('reading', 'storing', 'ready', 'applying', 'replaced', 'over', 'held', 'incomplete', 'broken', 'discarded'));
alter table "bill_upload" enable row level security;
create policy "tenant" on "bill_upload" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "bill_upload" to "tidemark_tenant";
