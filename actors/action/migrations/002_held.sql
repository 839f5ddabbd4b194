-- A workflow with several calls has exclusive use of its resource in the meantime.
alter table "power" add column "held" jsonb null;
