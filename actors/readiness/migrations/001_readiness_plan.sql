-- Capacity that is scaled up for events and restored. Written only by the readiness actor.
create table "readiness_plan" ("org_id" text not null, "id" text not null, "name" text not null, "description" text null, "event_start" timestamptz(3) not null, "event_end" timestamptz(3) not null, "pre_scale_minutes" int not null, "post_event_minutes" int not null, "expected_multiplier" double precision not null, "timezone" text not null, "status" text not null, "reason" text not null, "targets" jsonb not null, "owed" jsonb not null, "revision" int not null, "logged" int not null, "created_by" text not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "deleted_at" timestamptz(3) null, primary key ("org_id", "id"));
create index "readiness_plan_org_id_status_index" on "readiness_plan" ("org_id", "status");
create index "readiness_plan_org_id_created_at_id_index" on "readiness_plan" ("org_id", "created_at", "id");
alter table "readiness_plan" enable row level security;
create policy "tenant" on "readiness_plan" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "readiness_plan" to "tidemark_tenant";
