-- The response to a request with an Idempotency-Key is written in the transaction of its change, as tidemark_tenant. The role cannot read
-- responses: they are sealed, and only the owner of the tables returns them.
alter table "idempotent_answer" add column "name" uuid not null default gen_random_uuid();
alter table "idempotent_answer" enable row level security;
create policy "tenant" on "idempotent_answer" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select ("org_id", "principal", "route", "key", "started_at", "status") on "idempotent_answer" to "tidemark_tenant";
grant update ("status", "sealed") on "idempotent_answer" to "tidemark_tenant";
