-- A sign-in by SAML ends in the page that began it, as one by OpenID Connect. Those that were begun by processes of the version before
-- hold no verifier: they must be begun again.
alter table "saml_request" add column "verifier_hash" varchar(64) null;
