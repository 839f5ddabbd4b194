-- Key for encrypted assertions: one per installation; our metadata has its certificate.
create table "saml_key" ("id" text not null, "sealed" text not null, "certificate_pem" text not null, "created_at" timestamptz(3) not null, primary key ("id"));

-- Security events are deleted by time alone.
create index "security_event_at_index" on "security_event" ("at");
