-- Further alerts of budgets, on the spend or on the forecast, and those that were notified.
alter table "budget" add column "thresholds" jsonb not null default '[]';
alter table "budget_alert" add column "told" jsonb not null default '[]';
