-- Tenants and their tokens. Written only by http/identity.
create table "organization" ("id" uuid not null, "name" text not null, "created_at" timestamptz(3) not null, primary key ("id"));

create table "personal_access_token" ("id" uuid not null, "org_id" varchar(255) not null, "user_id" varchar(255) not null, "name" text not null, "role" text not null, "hash" varchar(64) not null, "last_four" varchar(4) not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("id"));
alter table "personal_access_token" add constraint "personal_access_token_hash_unique" unique ("hash");
create index "personal_access_token_org_id_created_at_index" on "personal_access_token" ("org_id", "created_at");
alter table "personal_access_token" add constraint "personal_access_token_role_check" check ("role" in ('owner', 'admin', 'editor', 'viewer'));
