-- A file is known from when it is begun, with what it may take, and whose it is: people and organizations have bounds. Processes of the
-- version before go on: what they insert is ready, and of nobody.
alter table "export_file" add column "user_id" text not null default '', add column "status" text not null default 'ready';
alter table "export_file" add constraint "export_file_status_check" check ("status" in ('writing', 'ready', 'removed'));
