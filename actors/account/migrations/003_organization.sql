-- How an organization of accounts is connected, the result of the last check, and its data on each account; null in older rows.
alter table "cloud_account" add column "organization" jsonb null, add column "organization_state" jsonb null, add column "membership" jsonb null;
