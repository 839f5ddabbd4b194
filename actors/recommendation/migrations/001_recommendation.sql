-- Facts about resources that rules read, and findings, written only by the audit actor; recommendations, written only by the
-- recommendation actor; progress of sweeps, written only by the actors account-sweep and sweep-watch. Facts come daily, so pages keep free
-- space for updates.
create table "account_sweep" ("org_id" text not null, "cloud_account_id" text not null, "settled_run_id" text not null default '', primary key ("org_id", "cloud_account_id"));
create table "recommendation" ("org_id" text not null, "cloud_account_id" text not null, "id" text not null, "resource_uid" text not null, "resource_name" text not null, "resource_type" text not null, "provider" text not null, "region" text not null, "resource_group" text not null, "rule_id" text not null, "category" text not null, "status" text not null, "severity" text not null, "severity_rank" int not null, "title" text not null, "title_from" text null, "title_to" text null, "description" text not null, "remediation" text not null, "console_url" text not null, "action_type" text not null, "effect" text not null, "destructive" boolean not null, "automation" text not null, "current_cost_usd" numeric(20,2) not null, "savings_usd" numeric(20,2) not null, "gross_savings_usd" numeric(20,2) not null, "confidence" double precision not null, "priority" int not null, "evidence" jsonb not null, "specs" jsonb not null, "target_spec" jsonb null, "tier_rates" jsonb null, "resource_tags" jsonb not null, "held_back_by" text not null, "still_fires" boolean not null, "fires" boolean not null, "stale_since" timestamptz(3) null, "generated_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "decided_at" timestamptz(3) null, "decided_by" text not null default '', "snoozed_until" timestamptz(3) null, "history" jsonb not null, "viewers" jsonb not null, "found_n" int not null, "settled_n" int not null, primary key ("org_id", "cloud_account_id", "id"));
create index "recommendation_org_id_status_savings_usd_id_index" on "recommendation" ("org_id", "status", "savings_usd", "id");
create index "recommendation_org_id_status_severity_rank_id_index" on "recommendation" ("org_id", "status", "severity_rank", "id");
create index "recommendation_org_id_resource_uid_index" on "recommendation" ("org_id", "resource_uid");
create index "recommendation_org_id_rule_id_status_index" on "recommendation" ("org_id", "rule_id", "status");
create index "recommendation_id_index" on "recommendation" ("id");
create table "resource_audit" ("org_id" text not null, "cloud_account_id" text not null, "uid" text not null, "resource" jsonb not null, "specs" jsonb not null, "facts" jsonb not null, "measured" jsonb not null, "facts_at" timestamptz(3) null, "run_id" text not null, "org_spend_usd" double precision null, "env" text not null, "first_seen_at" timestamptz(3) not null, "born_at" timestamptz(3) null, "since" jsonb not null, "outcomes" jsonb not null, "told" jsonb not null, "decided" jsonb not null, "heard" jsonb not null, "judged_by" text not null, "n" int not null, "observed_at" timestamptz(3) not null, "deleted_at" timestamptz(3) null, primary key ("org_id", "cloud_account_id", "uid")) with (fillfactor = 70);
create table "sweep_watch" ("org_id" text not null, "key" text not null, "is_waiting" boolean not null, primary key ("org_id", "key"));
alter table "recommendation" add constraint "recommendation_category_check" check ("category" in ('idle', 'rightsizing', 'schedule', 'orphan', 'compliance', 'discount', 'governance'));
alter table "recommendation" add constraint "recommendation_status_check" check ("status" in ('open', 'applied', 'dismissed', 'optimised', 'rule_retired'));
alter table "recommendation" add constraint "recommendation_severity_check" check ("severity" in ('info', 'low', 'medium', 'high', 'critical'));
alter table "recommendation" add constraint "recommendation_action_type_check" check ("action_type" in ('stop', 'pause', 'schedule', 'delete', 'resize', 'change_type', 'modify', 'configure', 'upgrade', 'purchase', 'tag', 'none'));
alter table "recommendation" add constraint "recommendation_effect_check" check ("effect" in ('none', 'online', 'restart', 'outage', 'data_loss', 'irreversible'));
alter table "account_sweep" enable row level security;
alter table "recommendation" enable row level security;
alter table "resource_audit" enable row level security;
alter table "sweep_watch" enable row level security;
create policy "tenant" on "account_sweep" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "recommendation" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "resource_audit" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "sweep_watch" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "account_sweep", "recommendation", "resource_audit", "sweep_watch" to "tidemark_tenant";
