-- Recipients of email channels must agree before they get any email. Recipients of existing channels count as having agreed.
alter table "notification_channel" add column "confirmed_at" timestamptz(3) null;
alter table "notification_channel" add column "confirm_nonce" text not null default '';
update "notification_channel" set "confirmed_at" = "created_at" where "type" = 'email';
