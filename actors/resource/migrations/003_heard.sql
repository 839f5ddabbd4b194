-- What is found again as it was moves observed_at alone: tags and audits do not hear of it. heard_at says what they have heard of.
alter table "resource" add column "heard_at" timestamptz(3) null;
