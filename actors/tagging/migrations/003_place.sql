-- The index of neighbourhoods begins as the key does, and was taken for it where the table had grown faster than what is known of it: a page
-- of resources then read every resource of the account for each of its own. Those without a neighbourhood are in it no more, so that only
-- what looks for a neighbourhood can use it.
drop index "resource_tagging_org_id_cloud_account_id_neighbour_2c810_index";
create index "resource_tagging_place" on "resource_tagging" ("org_id", "cloud_account_id", "neighbourhood", "evidence_env") where "neighbourhood" <> '';
