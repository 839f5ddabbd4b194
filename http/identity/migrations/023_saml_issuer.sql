-- What a provider calls a person is good for that provider alone: another one, set in its place, may call somebody else the same.
update "user_identity" i set "issuer" = i."issuer" || ':' || c."entity_id" from "saml_connection" c where i."issuer" = 'saml:' || c."org_id";
