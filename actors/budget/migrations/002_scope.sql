-- Budgets of the organization, a cloud account, a service or a tag value; an empty kind is the team or the group, as before.
alter table "budget" add column "scope_kind" text not null default '', add column "scope_id" text not null default '';
drop index "budget_scope";
create unique index "budget_scope" on "budget" ("org_id", lower("team_name"), "resource_group_id", "scope_kind", md5("scope_id"));
