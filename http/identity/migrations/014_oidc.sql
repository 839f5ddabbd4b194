-- Organizations can also use OpenID Connect. Domains, codes and sessions are those of SAML. Processes of the previous version continue:
-- their codes have no verifier.
create table "oidc_connection" ("org_id" text not null, "issuer" text not null, "client_id" text not null, "sealed" text not null, "scopes" jsonb not null, "email_claim" text not null, "email_verified_claim" text not null, "name_claim" text not null, "enabled" boolean not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id"));
alter table "oidc_connection" enable row level security;
create policy "tenant" on "oidc_connection" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "oidc_connection" to "tidemark_tenant";

create table "oidc_sign_in" ("hash" varchar(64) not null, "org_id" text not null, "sealed" text not null, "verifier_hash" varchar(64) not null, "created_at" timestamptz(3) not null, primary key ("hash"));
create index "oidc_sign_in_org_id_index" on "oidc_sign_in" ("org_id");
create index "oidc_sign_in_created_at_index" on "oidc_sign_in" ("created_at");

alter table "login_code" add column "verifier_hash" varchar(64) null;
alter table "login_code" drop constraint "login_code_purpose_check";
alter table "login_code" add constraint "login_code_purpose_check" check ("purpose" in ('saml', 'link', 'oidc'));

alter table "session" drop constraint "session_method_check";
alter table "session" add constraint "session_method_check" check ("method" in ('email', 'google', 'github', 'saml', 'link', 'oidc'));
alter table "second_factor_challenge" drop constraint "second_factor_challenge_method_check";
alter table "second_factor_challenge" add constraint "second_factor_challenge_method_check" check ("method" in ('email', 'google', 'github', 'saml', 'link', 'oidc'));
