-- Whether savings still have to be compared with changed bills.
alter table "cost_watch" add column "is_counting" boolean not null default false;
