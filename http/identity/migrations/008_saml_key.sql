-- What encrypted assertions are read with: one key of the installation, whose certificate our metadata shows.
create table "saml_key" ("id" text not null, "sealed" text not null, "certificate_pem" text not null, "created_at" timestamptz(3) not null, primary key ("id"));

-- Security events are forgotten by their time alone.
create index "security_event_at_index" on "security_event" ("at");
