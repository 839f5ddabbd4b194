-- A person is told once that a token of theirs ends soon.
alter table "personal_access_token" add column "end_told_at" timestamptz(3) null;
