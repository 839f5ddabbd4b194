-- When pushes were made, as their hosts say; installations that are gone, and which deliveries of installations were heard.
alter table "revision" add column "pushed_at" timestamptz(3) null;
alter table "source_installation" add column "gone_at" timestamptz(3) null;
create table "source_delivery" ("org_id" text not null, "installation_id" text not null, "id" text not null, "heard_at" timestamptz(3) not null, primary key ("org_id", "installation_id", "id"));
alter table "source_delivery" enable row level security;
create policy "tenant" on "source_delivery" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "source_delivery" to "tidemark_tenant";
