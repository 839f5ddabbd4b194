-- The index of neighborhoods starts like the key, and the planner used it instead when the statistics of the table were out of date: a
-- page of resources then read the whole account for each of its rows. Resources without a neighborhood are no longer in the index, so only
-- look-ups by neighborhood can use it.
drop index "resource_tagging_org_id_cloud_account_id_neighbour_2c810_index";
create index "resource_tagging_place" on "resource_tagging" ("org_id", "cloud_account_id", "neighbourhood", "evidence_env") where "neighbourhood" <> '';
