-- The workflow that carries a recommendation out.
alter table "recommendation" add column "job" jsonb null;
