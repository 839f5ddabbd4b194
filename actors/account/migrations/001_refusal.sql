-- Since when the cloud refuses the credentials of an account, and what they were good for before; null where it does not, as in rows from before.
alter table "cloud_account" add column "refusal" jsonb null;
