-- Users of the stream besides the service. Edges never read them: commands write them, the engine sends them to the server.
create table stream_user (
  id         varchar(64) primary key,
  kind       text not null check (kind in ('producer', 'consumer', 'executor', 'builder')),
  org_id     varchar(255) null,
  name       text not null,
  hash       text not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3) null
);
create index stream_user_org_id_created_at_index on stream_user (org_id, created_at);
alter table stream_user enable row level security;
create policy tenant on stream_user to tidemark_tenant using (org_id = nullif(current_setting('tidemark.org', true), ''));
