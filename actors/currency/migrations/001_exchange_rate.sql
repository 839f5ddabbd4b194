-- Exchange rates that people set, to show reports in other currencies: US dollars for one unit from a day on. A plain record.
create table "exchange_rate" ("org_id" text not null, "currency" text not null, "day" text not null, "usd_per_unit" text not null, "author_id" text not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "currency", "day"));
alter table "exchange_rate" enable row level security;
create policy "tenant" on "exchange_rate" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select, insert, update, delete on "exchange_rate" to "tidemark_tenant";
