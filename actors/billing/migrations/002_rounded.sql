-- How many rows of an upload have an amount that is stored rounded; uploads from before count none.
alter table "bill_upload" add column "rounded" bigint not null default 0;
alter table "bill_upload" alter column "rounded" drop default;
