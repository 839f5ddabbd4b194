-- Which bill counts where a payer's and an account's own have the same charges. Processes of the version before go on with the payer's.
alter table "organization_setting" add column "consolidated" text check ("consolidated" in ('payer', 'member')) not null default 'payer';
