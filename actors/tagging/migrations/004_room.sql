-- As `resource`: of what is found again a time alone changes.
alter table "resource_tagging" set (fillfactor = 50);
