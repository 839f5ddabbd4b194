-- The state in the cloud, while a resource that is being started or stopped shows another one. Resources are found by their UID alone.
alter table "resource" add column "observed_status" text not null default 'pending', add column "action_id" text not null default '', add column "action_at" timestamptz(3) null, add column "action_n" int not null default 0, add column "action_until" timestamptz(3) null;
update "resource" set "observed_status" = "status";
alter table "resource" add constraint "resource_observed_status_check" check ("observed_status" in ('running', 'stopped', 'starting', 'stopping', 'pending'));
create index "resource_org_id_uid_index" on "resource" ("org_id", "uid");
