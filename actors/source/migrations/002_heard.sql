-- Times of pushes by their hosts; removed installations, received deliveries about installations, and who waits for one.
alter table "revision" add column "pushed_at" timestamptz(3) null;
alter table "source_installation" add column "gone_at" timestamptz(3) null;
create table "source_delivery" ("org_id" text not null, "installation_id" text not null, "id" text not null, "heard_at" timestamptz(3) not null, primary key ("org_id", "installation_id", "id"));
alter table "source_delivery" enable row level security;
create policy "tenant" on "source_delivery" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "source_delivery" to "tidemark_tenant";
create table "source_claim" ("org_id" text not null, "installation_id" text not null, "account" text not null, "claimed_at" timestamptz(3) not null, primary key ("org_id", "installation_id"));
create index "source_claim_installation_id_index" on "source_claim" ("installation_id");
alter table "source_claim" enable row level security;
create policy "tenant" on "source_claim" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "source_claim" to "tidemark_tenant";
