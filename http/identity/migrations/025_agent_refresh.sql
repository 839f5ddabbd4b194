-- Tokens of agents that are renewed by refresh tokens: how often, when last, and until when. Null for all others.
alter table "personal_access_token" add column "refresh_count" int null, add column "refreshed_at" timestamptz(3) null, add column "refresh_ends_at" timestamptz(3) null;
