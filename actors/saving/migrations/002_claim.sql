-- Savings by source, and the contents of the rows of days.
alter table "saving" add column "claims" jsonb not null default '[]', add column "ledger" jsonb not null default '{}', add column "measured_at" text not null default '';
