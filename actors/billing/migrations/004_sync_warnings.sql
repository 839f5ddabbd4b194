-- Warnings about bills that a connector read: about whole files and about their rows.
alter table "billing_sync" add column "warnings" jsonb not null default '[]';
