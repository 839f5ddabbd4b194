-- One-time sign-in links, in the table of SAML codes. Processes of the previous version continue: their rows are codes.
alter table "login_code" add column "purpose" text not null default 'saml';
alter table "login_code" add constraint "login_code_purpose_check" check ("purpose" in ('saml', 'link'));
create index "login_code_user_id_index" on "login_code" ("user_id");

alter table "session" drop constraint "session_method_check";
alter table "session" add constraint "session_method_check" check ("method" in ('email', 'google', 'github', 'saml', 'link'));

alter table "second_factor_challenge" drop constraint "second_factor_challenge_method_check";
alter table "second_factor_challenge" add constraint "second_factor_challenge_method_check" check ("method" in ('email', 'google', 'github', 'saml', 'link'));
