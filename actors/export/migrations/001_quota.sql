-- A file is recorded when its writing starts, with its maximum size and its owner, because people and organizations have limits. Processes
-- of the previous version continue: their rows are complete and without an owner.
alter table "export_file" add column "user_id" text not null default '', add column "status" text not null default 'ready';
alter table "export_file" add constraint "export_file_status_check" check ("status" in ('writing', 'ready', 'removed'));
