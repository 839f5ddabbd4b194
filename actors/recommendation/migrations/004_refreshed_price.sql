-- List prices as clouds publish them, for all organizations. Written only by `reference/book/refresh.ts`.
create table "refreshed_price" ("org_id" text not null, "kind" text not null, "region" text not null, "name" text not null, "field" text not null, "value" text not null, "source" text not null, "effective_on" date not null, "refreshed_at" timestamptz(3) not null, primary key ("org_id", "kind", "region", "name", "field"));
alter table "refreshed_price" enable row level security;
create policy "tenant" on "refreshed_price" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "refreshed_price" to "tidemark_tenant";
