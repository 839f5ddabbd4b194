-- Channels and subscriptions: plain records, written only by actors/notification/channel/change.ts.
create table "notification_channel" ("org_id" text not null, "id" text not null, "type" text not null, "name" text not null, "email" text not null default '', "webhook_url" text null, "webhook_shown" text not null default '', "signing_secret" text not null, "options" jsonb not null, "is_legacy" boolean not null default false, "unsubscribed_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
create table "notification_subscription" ("org_id" text not null, "id" text not null, "channel_id" text not null, "event_type" text not null, "scope_type" text not null, "scope_id" text not null, "enabled" boolean not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
alter table "notification_subscription" add constraint "notification_subscription_once" unique ("org_id", "channel_id", "event_type", "scope_type", "scope_id");
create index "notification_subscription_org_id_event_type_index" on "notification_subscription" ("org_id", "event_type");
create table "email_preference" ("org_id" text not null, "user_id" text not null, "event_key" text not null, "enabled" boolean not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "user_id", "event_key"));
alter table "notification_channel" enable row level security;
create policy "tenant" on "notification_channel" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
alter table "notification_subscription" enable row level security;
create policy "tenant" on "notification_subscription" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
alter table "email_preference" enable row level security;
create policy "tenant" on "email_preference" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "notification_channel", "notification_subscription", "email_preference" to "tidemark_tenant";

-- Notifications being delivered: rows of actors.
create table "notice_log" ("org_id" text not null, "cloud_account_id" text not null, "key" text not null, "events" int not null, "last_at" timestamptz(3) null, primary key ("org_id", "cloud_account_id", "key"));
create table "delivery" ("org_id" text not null, "channel_id" text not null, "id" text not null, "event" jsonb not null, "kind" text not null, "hold" text not null, "tries" int not null, "response_status" int not null, "message" text not null, "next_try_at" timestamptz(3) null, "created_at" timestamptz(3) not null, primary key ("org_id", "channel_id", "id"));
create index "delivery_org_id_channel_id_hold_id_index" on "delivery" ("org_id", "channel_id", "hold", "id");
create table "channel_health" ("org_id" text not null, "channel_id" text not null, "failures" int not null, "failed_at" jsonb not null, "broken_since" timestamptz(3) null, "next_probe_at" timestamptz(3) null, "last_at" timestamptz(3) null, "last_delivery_id" text not null, "last_event_type" text not null, "last_status" int not null, "last_message" text not null, primary key ("org_id", "channel_id"));
create table "digest" ("org_id" text not null, "channel_id" text not null, "key" text not null, "items" jsonb not null, "more" int not null, "told_level" int not null, "told_id" text not null, "due" timestamptz(3) null, primary key ("org_id", "channel_id", "key"));
alter table "notice_log" enable row level security;
create policy "tenant" on "notice_log" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
alter table "delivery" enable row level security;
create policy "tenant" on "delivery" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
alter table "channel_health" enable row level security;
create policy "tenant" on "channel_health" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
alter table "digest" enable row level security;
create policy "tenant" on "digest" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "notice_log", "delivery", "channel_health", "digest" to "tidemark_tenant";
