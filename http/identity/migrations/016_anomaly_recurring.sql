-- Whether an organization is notified of recurring anomalies too. Processes of the version before go on without it.
alter table "organization_setting" add column "anomaly_notify_recurring" boolean not null default false;
