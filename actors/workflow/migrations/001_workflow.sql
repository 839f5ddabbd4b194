-- Changes that recommendations propose, written only by the workflow actor, and recent approvals of changes, written only by the guard
-- actor.
create table "guard" ("org_id" text not null, "key" text not null, "grants" jsonb not null, primary key ("org_id", "key"));
create table "workflow_job" ("org_id" text not null, "cloud_account_id" text not null, "id" text not null, "recommendation_id" text not null, "resource_uid" text not null, "subject_type" text not null, "subject_id" text not null, "template" text not null, "status" text not null, "step_id" text null, "plan" jsonb not null, "plan_hash" text not null, "steps" jsonb not null, "ops" jsonb not null, "approvals" jsonb not null, "audit" jsonb not null, "n" int not null, "told" int not null, "grant_n" int not null, "looks" int not null, "undo" jsonb null, "is_held" boolean not null, "reason" text not null, "created_by" text not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "completed_at" timestamptz(3) null, primary key ("org_id", "cloud_account_id", "id"));
create index "workflow_job_org_id_id_index" on "workflow_job" ("org_id", "id");
create index "workflow_job_org_id_status_created_at_id_index" on "workflow_job" ("org_id", "status", "created_at", "id");
create index "workflow_job_org_id_created_at_id_index" on "workflow_job" ("org_id", "created_at", "id");
create index "workflow_job_org_id_recommendation_id_status_index" on "workflow_job" ("org_id", "recommendation_id", "status");
create index "workflow_job_org_id_resource_uid_status_index" on "workflow_job" ("org_id", "resource_uid", "status");
create index "workflow_job_live" on "workflow_job" ("status") where "completed_at" is null;
alter table "guard" enable row level security;
alter table "workflow_job" enable row level security;
create policy "tenant" on "guard" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "workflow_job" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "guard", "workflow_job" to "tidemark_tenant";
