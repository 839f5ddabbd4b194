-- Monthly limits of teams and resource groups; written only by http/budget/routes.ts. Notifications of each budget; written only by the
-- budget actor.
create table "budget" ("org_id" text not null, "id" text not null, "team_name" text not null, "resource_group_id" text not null, "monthly_budget_usd" numeric(38,14) not null, "alert_threshold_percent" numeric(38,14) not null, "revision" int not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
create unique index "budget_scope" on "budget" ("org_id", lower("team_name"), "resource_group_id");
create table "budget_alert" ("org_id" text not null, "budget_id" text not null, "month" text not null, "revision" int not null, "level" int not null, primary key ("org_id", "budget_id"));
alter table "budget" enable row level security;
alter table "budget_alert" enable row level security;
create policy "tenant" on "budget" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy "tenant" on "budget_alert" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "budget" to "tidemark_tenant";
grant select on "budget_alert" to "tidemark_tenant";
