-- Whether the console no longer shows the first steps: they are done, or somebody has hidden them.
alter table "organization_setting" add column "hides_first_steps" boolean not null default false;
