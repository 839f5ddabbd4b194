-- US dollars above its baseline that an organization is told of an anomaly from. Processes of the version before go on without it.
alter table "organization_setting" add column "anomaly_notify_min_usd" double precision not null default 0;
