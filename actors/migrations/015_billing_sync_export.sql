-- Exports that replaced nothing and that people were notified of.
alter table "billing_sync" add column "told" jsonb not null default '[]';
