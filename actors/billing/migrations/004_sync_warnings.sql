-- What is to be known of the bills that a connector read: of whole files, and of their rows.
alter table "billing_sync" add column "warnings" jsonb not null default '[]';
