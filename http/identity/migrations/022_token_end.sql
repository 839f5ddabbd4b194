-- A person is notified once that one of their tokens expires soon.
alter table "personal_access_token" add column "end_told_at" timestamptz(3) null;
