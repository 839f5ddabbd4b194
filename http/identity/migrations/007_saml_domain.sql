-- An email domain has no effect until its organization has proved it with a TXT record: several may claim it, one at a time has proved it.
-- Older domains are not proved. Sessions record their authentication method (RFC 8176).
alter table "saml_domain" add column "token" text;
update "saml_domain" set "token" = replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
alter table "saml_domain" alter column "token" set not null;
alter table "saml_domain" add column "verified_at" timestamptz(3) null;
alter table "saml_domain" drop constraint "saml_domain_pkey";
alter table "saml_domain" add primary key ("org_id", "domain");
drop index "saml_domain_org_id_index";
create unique index "saml_domain_domain_unique" on "saml_domain" ("domain") where "verified_at" is not null;

alter table "session" add column "amr" jsonb not null default '[]';
