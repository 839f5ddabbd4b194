-- Sizes, prices, support dates and discounts of the operator. Written only by the command `prices load`.
create table "reference_value" ("org_id" text not null, "kind" text not null, "region" text not null, "name" text not null, "field" text not null, "value" text not null, "loaded_at" timestamptz(3) not null, primary key ("org_id", "kind", "region", "name", "field"));
alter table "reference_value" enable row level security;
create policy "tenant" on "reference_value" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "reference_value" to "tidemark_tenant";
