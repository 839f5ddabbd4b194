-- Data of directories on people (SCIM 2.0), and members of the groups of roles. The token of a directory is valid only for SCIM.
create table "scim_user" ("org_id" text not null, "user_id" uuid not null, "user_name" text not null, "user_key" text not null, "external_id" text null, "email" text not null, "display_name" text null, "given_name" text null, "family_name" text null, "role_id" text not null, "deactivated_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "user_id"));
alter table "scim_user" add constraint "scim_user_org_id_user_key_unique" unique ("org_id", "user_key");

create table "scim_group_member" ("org_id" text not null, "role_id" text not null, "user_id" uuid not null, "created_at" timestamptz(3) not null, primary key ("org_id", "role_id", "user_id"));

alter table "personal_access_token" drop constraint "personal_access_token_scope_check";
alter table "personal_access_token" add constraint "personal_access_token_scope_check" check ("scope" in ('api', 'analyst', 'scim'));
