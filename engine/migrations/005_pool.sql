-- Calls are claimed by name, organizations in turn; due reminders are read in pages, those of one organization together.
create index effect_claim on effect (name, org_id, due);
drop index reminder_due;
create index reminder_due on reminder (lane, due, org_id, place, kind, key, name);
