-- A workflow with several calls to make has a resource to itself meanwhile.
alter table "power" add column "held" jsonb null;
