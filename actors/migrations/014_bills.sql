-- The current export of each billing period of an account. Lines of existing accounts may be from before exports were supported, for
-- periods up to the following month.
alter table "cloud_account" add "bills" jsonb not null default '{"shown":{},"begun":{},"open":[],"told":[],"ignored":0}', add "old_through" text not null default '';
update "cloud_account" set "old_through" = to_char((now() at time zone 'utc') + interval '1 month', 'YYYY-MM');
