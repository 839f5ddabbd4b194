-- Owner of a repository: the organization that linked it, or an installation that can see it.
alter table "source_repository" add column "repository_key" text not null default '';
update "source_repository" set "repository_key" = lower(split_part(bare, '/', 1)) || substr(bare, length(split_part(bare, '/', 1)) + 1)
  from (select installation_id as i, id as r, regexp_replace(regexp_replace(url, '^https?://', ''), '(\.git)?/*$', '') as bare from "source_repository") as one
  where installation_id = one.i and id = one.r;
create index "source_repository_repository_key_index" on "source_repository" ("repository_key");
create table "source_link" ("org_id" text not null, "repository_key" text not null, "linked_at" timestamptz(3) not null, primary key ("org_id", "repository_key"));
alter table "source_link" add constraint "source_link_repository_key_unique" unique ("repository_key");
alter table "source_link" enable row level security;
create policy "tenant" on "source_link" to "tidemark_tenant" using (org_id = nullif(current_setting('tidemark.org', true), ''));
grant select on "source_link" to "tidemark_tenant";
