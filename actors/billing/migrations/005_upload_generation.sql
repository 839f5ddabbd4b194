-- Generation of sums from which reports show an upload that replaced the current bill; null until then.
alter table "bill_upload" add column "generation" bigint null;
