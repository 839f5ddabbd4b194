-- State of the usage data of a cluster. Written by the kubernetes actor.
create table "kubernetes_cluster" ("org_id" text not null, "cloud_account_id" text not null, "uid" text not null, "name" text not null default '', "first_at" timestamptz(3) null, "last_at" timestamptz(3) null, "due_days" jsonb not null, primary key ("org_id", "cloud_account_id", "uid"));
alter table "kubernetes_cluster" enable row level security;
create policy "tenant" on "kubernetes_cluster" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "kubernetes_cluster" to "tidemark_tenant";
