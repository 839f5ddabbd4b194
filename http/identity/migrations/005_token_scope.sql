-- What a token is for: the API, or the analysts' port of ClickHouse; never both.
alter table "personal_access_token" add column "scope" text not null default 'api';
alter table "personal_access_token" add constraint "personal_access_token_scope_check" check ("scope" in ('api', 'analyst'));
