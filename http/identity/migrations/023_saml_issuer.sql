-- A provider's name for a person is valid only for that provider: another provider may use the same name for somebody else.
update "user_identity" i set "issuer" = i."issuer" || ':' || c."entity_id" from "saml_connection" c where i."issuer" = 'saml:' || c."org_id";
