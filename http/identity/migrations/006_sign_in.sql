-- Sign-in attempts are counted by address block and account, so that guessing locks out only the attacker; codes likewise. Sessions record
-- their origin and whether a second factor was used; organizations can require one. Processes of the previous version continue with
-- login_failure and one_time_password, which the next release drops.
create table "throttle" ("purpose" text not null, "account" text not null, "block" text not null, "count" int not null default 0, "since" timestamptz(3) not null, "last" timestamptz(3) not null, "known_at" timestamptz(3) null, primary key ("purpose", "account", "block"));
create index "throttle_last_index" on "throttle" ("last");
alter table "throttle" add constraint "throttle_purpose_check" check ("purpose" in ('login', 'second-factor', 'verify-sent', 'reset-sent'));

create table "mailed_code" ("email" text not null, "purpose" text not null, "block" text not null, "code_hash" text null, "expires_at" timestamptz(3) not null, "tries" int not null default 0, "foreign_tries" int not null default 0, "issued" int not null default 0, "issued_since" timestamptz(3) not null, "password_hash" text null, "name" text null, primary key ("email", "purpose", "block"));
create index "mailed_code_expires_at_index" on "mailed_code" ("expires_at");
alter table "mailed_code" add constraint "mailed_code_purpose_check" check ("purpose" in ('verify', 'reset'));

alter table "session" add column "ip" text not null default '', add column "user_agent" text not null default '', add column "second_factor" boolean not null default false;

create table "second_factor" ("user_id" uuid not null, "sealed" text not null, "last_step" int not null default 0, "confirmed_at" timestamptz(3) null, "created_at" timestamptz(3) not null, primary key ("user_id"));
create table "recovery_code" ("user_id" uuid not null, "hash" varchar(64) not null, "used_at" timestamptz(3) null, primary key ("user_id", "hash"));
create table "second_factor_challenge" ("hash" varchar(64) not null, "user_id" uuid not null, "method" text not null, "tries" int not null default 0, "expires_at" timestamptz(3) not null, primary key ("hash"));
create index "second_factor_challenge_expires_at_index" on "second_factor_challenge" ("expires_at");
alter table "second_factor_challenge" add constraint "second_factor_challenge_method_check" check ("method" in ('email', 'google', 'github', 'saml'));

create table "organization_setting" ("org_id" text not null, "require_second_factor" boolean not null default false, "updated_at" timestamptz(3) not null, primary key ("org_id"));
alter table "organization_setting" enable row level security;
create policy "tenant" on "organization_setting" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update on "organization_setting" to "tidemark_tenant";

-- A crash of PostgreSQL loses at most a minute of counts here.
create unlogged table "rate_bucket" ("id" text not null, "tokens" double precision not null, "taken" double precision not null, "at" timestamptz(3) not null, primary key ("id"));
create index "rate_bucket_at_index" on "rate_bucket" ("at");
