-- Organizations that are about to be deleted, or have been. A row stays for ever: it is what is known of a deletion afterwards (which id, who,
-- when), and messages that come late for it are dropped. Written by http/identity when an owner asks or takes it back, and by the deletion.
create table closed_organization (
  org_id     text primary key,
  -- The id of a person, or `operator`.
  closed_by  text not null,
  closed_at  timestamptz(3) not null,
  -- Until then it may be restored.
  delete_at  timestamptz(3) not null,
  -- Since then its rows are being deleted, and no message of it has an effect any more.
  deleting_at timestamptz(3),
  deleted_at  timestamptz(3)
);
