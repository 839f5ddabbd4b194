-- What stands of the billing periods of an account. Lines of accounts that exist now may be from before exports were known, of
-- periods up to the month that follows.
alter table "cloud_account" add "bills" jsonb not null default '{"shown":{},"begun":{},"open":[],"told":[],"ignored":0}', add "old_through" text not null default '';
update "cloud_account" set "old_through" = to_char((now() at time zone 'utc') + interval '1 month', 'YYYY-MM');
