-- Whether an organization is also notified of recurring anomalies. Processes of the previous version continue without it.
alter table "organization_setting" add column "anomaly_notify_recurring" boolean not null default false;
