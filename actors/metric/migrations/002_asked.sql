-- Which resources were fetched from the beginning on. Null, as in rows from before: of none it is known.
alter table "metric_collection" add column "asked_at" timestamptz(3) null;
