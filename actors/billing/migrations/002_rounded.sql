-- Number of rows of an upload with an amount that is stored rounded; 0 for older uploads.
alter table "bill_upload" add column "rounded" bigint not null default 0;
alter table "bill_upload" alter column "rounded" drop default;
