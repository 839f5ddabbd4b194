-- Connections of the edge can see whether their organization is closed, and cannot change it.
alter table "closed_organization" enable row level security;
create policy "tenant" on "closed_organization" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "closed_organization" to "tidemark_tenant";

-- People whose address still has to be replaced where it is stored. It is sealed; the row is deleted when that is
-- done. Written only by http/identity and the code that replaces it.
create table "person_erasure" ("user_id" uuid not null, "sealed" text not null, "pseudonym" text not null, "asked_at" timestamptz(3) not null, "replaced_at" timestamptz(3) null, primary key ("user_id"));

-- A person may request all data about them.
create index "security_event_user_id_index" on "security_event" ("user_id");
