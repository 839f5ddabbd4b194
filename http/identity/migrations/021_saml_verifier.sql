-- A SAML sign-in can only be completed in the browser that started it, like one with OpenID Connect. Sign-ins that processes of the
-- previous version started have no verifier and must be started again.
alter table "saml_request" add column "verifier_hash" varchar(64) null;
