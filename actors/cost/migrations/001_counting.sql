-- Whether savings wait to be held to changed bills.
alter table "cost_watch" add column "is_counting" boolean not null default false;
