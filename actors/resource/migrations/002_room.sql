-- Most resources that a scan finds are unchanged: only times change, and no index has these. With half of each page free, the new row fits
-- on the same page and no index is written, which takes a quarter of the log. Existing rows move to such pages when they change.
alter table "resource" set (fillfactor = 50);
