-- Amount above the baseline, in US dollars, from which an organization is notified of an anomaly. Processes of the previous version
-- continue without it.
alter table "organization_setting" add column "anomaly_notify_min_usd" double precision not null default 0;
