-- Most of what a scan finds is as it was: of such a row times alone change, none of which an index has. With half of each page
-- left for them the new row lies beside the old one and no index is written: a quarter of the log of before. Rows that stand
-- move to such pages as they change.
alter table "resource" set (fillfactor = 50);
