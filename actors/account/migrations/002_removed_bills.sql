-- Bill exports that an admin removed: the export, who removed it and when. Older rows have none.
alter table "cloud_account" alter column "bills" set default '{"shown":{},"begun":{},"open":[],"told":[],"removed":[],"ignored":0}';
update "cloud_account" set "bills" = "bills" || '{"removed":[]}';
