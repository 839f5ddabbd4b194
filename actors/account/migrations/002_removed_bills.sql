-- Exports of bills that an admin removed: what shows no more, who removed it, and when. None in rows from before.
alter table "cloud_account" alter column "bills" set default '{"shown":{},"begun":{},"open":[],"told":[],"removed":[],"ignored":0}';
update "cloud_account" set "bills" = "bills" || '{"removed":[]}';
