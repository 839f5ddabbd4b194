-- Position in the security events of an organization. Written only by the security actor.
create table "security_log" ("org_id" text not null, "key" text not null, "events" int not null, "last_at" timestamptz(3) null, primary key ("org_id", "key"));
