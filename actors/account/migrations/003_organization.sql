-- How an organization of accounts is connected, what the last look at it came to, and what it says of each of its accounts; null in rows from before.
alter table "cloud_account" add column "organization" jsonb null, add column "organization_state" jsonb null, add column "membership" jsonb null;
