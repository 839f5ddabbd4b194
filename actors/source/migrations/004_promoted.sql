-- Revisions that went live, by time: charts of costs mark them.
create index "revision_promoted" on "revision" ("org_id", "completed_at") where "status" = 'promoted';
