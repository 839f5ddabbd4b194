-- Which bill counts if the payer's bill and an account's own have the same charges. Processes of the previous version continue with the
-- payer's.
alter table "organization_setting" add column "consolidated" text check ("consolidated" in ('payer', 'member')) not null default 'payer';
