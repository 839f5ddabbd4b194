-- Edges show an organization its own dead letters, and record that one was replayed.
grant select on dead_letter to tidemark_tenant;
grant update (replayed_at) on dead_letter to tidemark_tenant;
alter table dead_letter enable row level security;
create policy tenant on dead_letter to tidemark_tenant using (org_id = nullif(current_setting('tidemark.org', true), ''));
