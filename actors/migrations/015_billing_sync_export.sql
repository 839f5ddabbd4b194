-- What people were told of exports that replaced nothing.
alter table "billing_sync" add column "told" jsonb not null default '[]';
