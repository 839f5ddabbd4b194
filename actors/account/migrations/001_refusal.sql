-- Time since which the cloud rejects the credentials of an account, and what they allowed before; null if it does not, and in older rows.
alter table "cloud_account" add column "refusal" jsonb null;
