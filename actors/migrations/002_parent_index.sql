-- With the account first, the planner used this index for look-ups of single resources and read the whole account.
drop index "resource_org_id_cloud_account_id_parent_uid_index";
create index "resource_org_id_parent_uid_cloud_account_id_index" on "resource" ("org_id", "parent_uid", "cloud_account_id");
