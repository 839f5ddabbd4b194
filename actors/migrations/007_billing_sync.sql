-- How far the bills of cloud accounts have been read. Written only by the billing sync actor.
create table "billing_sync" ("org_id" text not null, "cloud_account_id" text not null, "provider" text not null default '', "status" text check ("status" in ('pending', 'backfilling', 'syncing', 'ok', 'failed')) not null default 'pending', "run_id" text not null default '', "is_check" boolean not null default false, "waiting_run_id" text not null default '', "last_synced_at" timestamptz(3) null, "through" text not null default '', "next_month" text not null default '', "months_backfilled" int not null default 0, "message" text null, primary key ("org_id", "cloud_account_id"));
alter table "billing_sync" enable row level security;
create policy "tenant" on "billing_sync" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "billing_sync" to "tidemark_tenant";
-- Whether the first successful verification of a connected account still has to request its first sync.
alter table "cloud_account" add column "first_sync_due" boolean not null default false;
