-- Predicted and derived tags of resources, and decisions about them; written only by the tagging actor. Runs over the tags of an
-- organization; written only by the tag-run actor. Every discovery changes a row, so pages keep free space for updates.
create table "resource_tagging" ("org_id" text not null, "cloud_account_id" text not null, "uid" text not null, "id" uuid not null, "signals" jsonb not null, "evidence_env" text not null, "parent_uid" text not null, "neighbourhood" text not null, "has_prediction" boolean not null, "predicted_env" text not null, "predicted_no_stop" boolean not null, "extra_tags" jsonb not null, "confidence" int not null, "reason" text not null, "accepted_at" timestamptz(3) null, "rejected_at" timestamptz(3) null, "suggested_at" timestamptz(3) null, "updated_at" timestamptz(3) null, "derived" jsonb not null, "derived_by" jsonb not null, "left_out" jsonb not null, "accepted" jsonb not null, "policy_version" int not null, "shown_smart" jsonb not null, "shown_auto" jsonb not null, "observed_at" timestamptz(3) not null, "deleted_at" timestamptz(3) null, primary key ("org_id", "cloud_account_id", "uid")) with (fillfactor = 70);
create index "resource_tagging_org_id_uid_index" on "resource_tagging" ("org_id", "uid");
create index "resource_tagging_org_id_cloud_account_id_neighbour_2c810_index" on "resource_tagging" ("org_id", "cloud_account_id", "neighbourhood", "evidence_env");
create table "tag_run" ("org_id" text not null, "key" text not null, "run_id" text not null, "status" text not null, "wanted" jsonb not null, "again" jsonb null, "resources" int not null, "failure" text null, "started_at" timestamptz(3) not null, "ended_at" timestamptz(3) null, primary key ("org_id", "key"));
alter table "tag_run" add constraint "tag_run_status_check" check ("status" in ('queued', 'completed', 'failed'));
alter table "resource_tagging" enable row level security;
alter table "tag_run" enable row level security;
create policy "tenant" on "resource_tagging" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "tag_run" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "resource_tagging", "tag_run" to "tidemark_tenant";
