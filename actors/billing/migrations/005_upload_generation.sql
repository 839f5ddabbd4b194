-- From which sums on reports show an upload that has replaced what stood; null until that is seen.
alter table "bill_upload" add column "generation" bigint null;
