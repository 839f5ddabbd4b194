-- An unchanged resource only gets a new observed_at, without a message to tags and audits. heard_at is the time that they last got.
alter table "resource" add column "heard_at" timestamptz(3) null;
