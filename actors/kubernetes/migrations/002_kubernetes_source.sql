-- Sources of cluster usage: plain records; and how far each was read: written only by the kubernetes-source actor.
create table "kubernetes_source" ("org_id" text not null, "id" uuid not null, "cloud_account_id" text not null, "cluster_uid" text not null, "cluster_name" text null, "provider" text null, "url" text not null, "headers" text null, "matchers" jsonb not null, "enabled" boolean not null, "reading_id" uuid not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
alter table "kubernetes_source" add constraint "kubernetes_source_org_id_cloud_account_id_cluster_uid_unique" unique ("org_id", "cloud_account_id", "cluster_uid");
alter table "kubernetes_source" add constraint "kubernetes_source_provider_check" check ("provider" in ('aws', 'gcp', 'azure'));
alter table "kubernetes_source" enable row level security;
create policy "tenant" on "kubernetes_source" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "kubernetes_source" to "tidemark_tenant";

create table "kubernetes_source_state" ("org_id" text not null, "source_id" text not null, "reading_id" text not null default '', "through" timestamptz(3) null, "failure" text null, "gaps" jsonb not null default '[]', primary key ("org_id", "source_id"));
alter table "kubernetes_source_state" enable row level security;
create policy "tenant" on "kubernetes_source_state" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "kubernetes_source_state" to "tidemark_tenant";
