-- The workflow that carries out a recommendation.
alter table "recommendation" add column "job" jsonb null;
