-- Time when the resources were listed whose metrics were fetched from the start; for later resources they were fetched from then on. Null
-- in older rows: unknown.
alter table "metric_collection" add column "asked_at" timestamptz(3) null;
