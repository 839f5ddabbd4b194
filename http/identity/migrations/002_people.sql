-- People, their permissions, how they sign in, and the audit trail. Written only by http/identity and its routes.
create table "idempotent_answer" ("org_id" text not null, "principal" text not null, "route" text not null, "key" text not null, "request_hash" text not null, "status" int null, "sealed" text null, "started_at" timestamptz(3) not null, primary key ("org_id", "principal", "route", "key"));
create index "idempotent_answer_started_at_index" on "idempotent_answer" ("started_at");

create table "login_code" ("hash" varchar(64) not null, "user_id" uuid not null, "org_id" text not null, "expires_at" timestamptz(3) not null, primary key ("hash"));
create index "login_code_expires_at_index" on "login_code" ("expires_at");

create table "login_failure" ("id" uuid not null, "email" text not null, "at" timestamptz(3) not null, primary key ("id"));
create index "login_failure_email_at_index" on "login_failure" ("email", "at");

create table "member" ("org_id" text not null, "user_id" uuid not null, "role_id" text not null, "status" text not null, "created_at" timestamptz(3) not null, primary key ("org_id", "user_id"));
create index "member_user_id_index" on "member" ("user_id");

create table "one_time_password" ("email" text not null, "purpose" text not null, "code_hash" text null, "expires_at" timestamptz(3) not null, "tries" int not null default 0, "issued" int not null default 0, "issued_since" timestamptz(3) not null, primary key ("email", "purpose"));
create index "one_time_password_expires_at_index" on "one_time_password" ("expires_at");

create table "refresh_token" ("hash" varchar(64) not null, "session_id" uuid not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, primary key ("hash"));
create index "refresh_token_session_id_index" on "refresh_token" ("session_id");
create index "refresh_token_expires_at_index" on "refresh_token" ("expires_at");

create table "role" ("org_id" text not null, "id" uuid not null, "name" text not null, "permissions" jsonb not null, "report_scope" jsonb not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"));
alter table "role" add constraint "role_org_id_name_unique" unique ("org_id", "name");

create table "saml_assertion" ("org_id" text not null, "id" text not null, "used_at" timestamptz(3) not null, primary key ("org_id", "id"));
create index "saml_assertion_used_at_index" on "saml_assertion" ("used_at");

create table "saml_connection" ("org_id" text not null, "entity_id" text not null, "sso_url" text not null, "certificate_pem" text not null, "enabled" boolean not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id"));

create table "saml_domain" ("domain" text not null, "org_id" text not null, primary key ("domain"));
create index "saml_domain_org_id_index" on "saml_domain" ("org_id");

create table "saml_request" ("org_id" text not null, "id" text not null, "created_at" timestamptz(3) not null, primary key ("org_id", "id"));
create index "saml_request_created_at_index" on "saml_request" ("created_at");

create table "security_event" ("id" uuid not null, "org_id" text not null, "type" text not null, "at" timestamptz(3) not null, "user_id" text null, "principal" text not null, "email" text null, "ip" text not null, "user_agent" text not null, "request_id" text not null, "detail" jsonb not null, primary key ("id"));
create index "security_event_org_id_at_id_index" on "security_event" ("org_id", "at", "id");

create table "session" ("id" uuid not null, "user_id" uuid not null, "org_id" text not null default '', "bound_to" text null, "method" text not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "revoked_at" timestamptz(3) null, primary key ("id"));
create index "session_user_id_index" on "session" ("user_id");
create index "session_expires_at_index" on "session" ("expires_at");

create table "signing_key" ("kid" text not null, "sealed" text not null, "public_jwk" jsonb not null, "created_at" timestamptz(3) not null, primary key ("kid"));

create table "app_user" ("id" uuid not null, "email" text not null, "name" text not null, "password_hash" text null, "email_verified_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));
alter table "app_user" add constraint "app_user_email_unique" unique ("email");

create table "user_identity" ("issuer" text not null, "subject" text not null, "user_id" uuid not null, "created_at" timestamptz(3) not null, primary key ("issuer", "subject"));
create index "user_identity_user_id_index" on "user_identity" ("user_id");

alter table "personal_access_token" alter column "role" drop not null;

alter table "member" add constraint "member_status_check" check ("status" in ('invited', 'active'));

alter table "one_time_password" add constraint "one_time_password_purpose_check" check ("purpose" in ('verify', 'reset'));

alter table "session" add constraint "session_method_check" check ("method" in ('email', 'google', 'github', 'saml'));
