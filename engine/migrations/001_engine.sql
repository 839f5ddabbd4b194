-- The engine's own tables. One writer each: the owner of a lane in its commit, unless said otherwise.

-- One row a lane. cursor is the last stream sequence whose effects are committed: the only truth about what is done.
create table lane (
  lane          integer primary key,
  cursor        bigint not null default 0,
  -- Raised by every acquisition: a commit under an older one is refused.
  epoch         bigint not null default 0,
  -- Milliseconds since 1970 of the newest turn: turn time never goes backwards within a lane.
  clock         bigint not null default 0,
  owner         text,
  owner_pid     integer,
  owner_started timestamptz,
  expires       timestamptz not null default '-infinity',
  -- Acquisitions since the cursor last moved; from three on the lane goes careful.
  tries         integer not null default 0,
  tries_cursor  bigint not null default 0,
  -- Careful mode: the message whose turn is running, and how many processes died on it.
  marked_seq    bigint,
  marked_deaths integer not null default 0
);

-- Engine processes that are alive, for sharing out lanes. Written by each process for itself.
create table process (
  id      text primary key,
  expires timestamptz not null
);

-- Ids of messages that must take effect once however late they are repeated, with the answer their asker got.
create table inbox (
  lane  integer not null,
  id    text not null,
  at    timestamptz not null default now(),
  reply jsonb,
  primary key (lane, id)
);
create index inbox_at on inbox (at);

-- Messages and events to publish. Deleted by the relay once the stream has acknowledged them.
create table outbox (
  id      text primary key,
  n       bigserial not null,
  lane    integer not null,
  subject text not null,
  headers jsonb not null default '{}',
  body    text not null
);
create index outbox_lane on outbox (lane, n);

-- Durable timers; one row a (actor, name). A due one is published to its lane and deleted by the commit of its turn.
create table reminder (
  kind    text not null,
  org_id  text not null,
  place   text not null,
  key     text not null,
  name    text not null,
  lane    integer not null,
  due     timestamptz not null,
  subject text not null,
  data    jsonb not null,
  primary key (kind, org_id, place, key, name)
);
create index reminder_due on reminder (lane, due);

-- Keys of projections to work out anew. Deleted by the projection once it has seen the stamp it worked on.
create table mark (
  projection text not null,
  org_id     text not null,
  key        text not null,
  lane       integer not null,
  stamp      bigint not null,
  primary key (projection, org_id, key)
);
create index mark_lane on mark (lane, stamp);

-- Stamps of marks and generations of projections: whatever is drawn later has seen everything drawn before.
create sequence generation as bigint;

-- Calls to the outside that were committed and are not done. Deleted by the executor that made them.
create table effect (
  key           text primary key,
  name          text not null,
  org_id        text not null,
  input         jsonb not null,
  attempts      integer not null default 0,
  due           timestamptz not null default now(),
  claimed_by    text,
  claimed_until timestamptz not null default '-infinity',
  failure       text
);
create index effect_due on effect (due);

-- Messages set aside with their fault. Never deleted; replayed_at is set by the operator's replay.
create table dead_letter (
  id          text primary key,
  lane        integer not null,
  seq         bigint not null,
  org_id      text not null,
  subject     text not null,
  type        text not null,
  message_id  text not null,
  -- The actor kind whose turn refused it; empty when no turn was reached.
  actor       text not null,
  code        text not null,
  reason      text not null,
  attempts    integer not null,
  headers     jsonb not null,
  body        bytea not null,
  at          timestamptz not null default now(),
  replayed_at timestamptz
);
create index dead_letter_org on dead_letter (org_id, at);

-- Test hooks only: milliseconds to add to every clock of the product. Written by the clock hook.
create table clock_offset (
  singleton boolean primary key default true check (singleton),
  offset_ms bigint not null
);
