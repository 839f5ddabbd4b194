-- What the cloud was seen to say, beside what is shown while a resource is started or stopped. Resources are found by their uid alone.
alter table "resource" add column "observed_status" text not null default 'pending', add column "action_id" text not null default '', add column "action_at" timestamptz(3) null, add column "action_n" int not null default 0, add column "action_until" timestamptz(3) null;
update "resource" set "observed_status" = "status";
alter table "resource" add constraint "resource_observed_status_check" check ("observed_status" in ('running', 'stopped', 'starting', 'stopping', 'pending'));
create index "resource_org_id_uid_index" on "resource" ("org_id", "uid");
