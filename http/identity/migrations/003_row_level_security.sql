-- The second wall between organizations: connections of the edge use the role tidemark_tenant, to which PostgreSQL shows only rows of the
-- organization in the setting tidemark.org; without it, none. The role cannot use what it is not granted; rows of actors are read-only.
-- The owner of the tables (engine, migrations, identity itself) sees everything. Roles belong to the whole server: another database on it,
-- or an administrator, may have created and granted this one.
do $$ begin
  if not exists (select from pg_roles where rolname = 'tidemark_tenant') then
    create role tidemark_tenant nologin;
  end if;
exception when duplicate_object or unique_violation then null;
end $$;
do $$ begin
  execute format('grant tidemark_tenant to %I', current_user);
exception when insufficient_privilege then null;
end $$;
-- Fails now if the edge could not use the role.
set local role tidemark_tenant;
reset role;
do $$ begin
  execute format('grant usage on schema %I to tidemark_tenant', current_schema);
end $$;

grant select on resource, cloud_account, refresh, organization, saml_connection, saml_domain, member, role, personal_access_token, security_event to tidemark_tenant;
grant update, delete on member to tidemark_tenant;
grant insert, update, delete on role to tidemark_tenant;
grant insert, update on personal_access_token to tidemark_tenant;
grant delete on saml_connection, saml_domain to tidemark_tenant;
grant insert on security_event, effect to tidemark_tenant;
grant select (id, email, name) on app_user to tidemark_tenant;

alter table resource enable row level security;
alter table cloud_account enable row level security;
alter table refresh enable row level security;
alter table organization enable row level security;
alter table saml_connection enable row level security;
alter table saml_domain enable row level security;
alter table member enable row level security;
alter table role enable row level security;
alter table personal_access_token enable row level security;
alter table security_event enable row level security;
alter table effect enable row level security;
alter table app_user enable row level security;

create policy tenant on resource to tidemark_tenant using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy tenant on cloud_account to tidemark_tenant using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy tenant on refresh to tidemark_tenant using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy tenant on organization to tidemark_tenant using (id::text = nullif(current_setting('tidemark.org', true), ''));
create policy tenant on saml_connection to tidemark_tenant using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy tenant on saml_domain to tidemark_tenant using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy tenant on member to tidemark_tenant using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy tenant on role to tidemark_tenant using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy tenant on personal_access_token to tidemark_tenant using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy tenant on security_event to tidemark_tenant using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy tenant on effect to tidemark_tenant using (org_id = nullif(current_setting('tidemark.org', true), ''));
create policy tenant on app_user to tidemark_tenant using (exists (
  select from member m where m.user_id = app_user.id and m.org_id = nullif(current_setting('tidemark.org', true), '')
));
