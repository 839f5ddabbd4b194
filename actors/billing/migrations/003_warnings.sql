-- What was left out of accepted rows of an upload; empty for older uploads.
alter table "bill_upload" add column "warnings" jsonb not null default '[]';
alter table "bill_upload" alter column "warnings" drop default;
