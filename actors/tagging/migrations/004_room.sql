-- As for `resource`: only times of an unchanged resource change.
alter table "resource_tagging" set (fillfactor = 50);
