-- Idle costs are handed out when days are divided: days that were divided before are divided anew.
insert into "mark" ("projection", "org_id", "key", "lane", "stamp")
select 'cost-day', d.org_id, replace(replace(d.cloud_account_id, '%', '%25'), '|', '%7C') || '|' || d.day, 0, nextval('generation')
from (
  select distinct c.org_id, c.cloud_account_id,
    generate_series(date_trunc('day', c.first_at at time zone 'UTC'), c.last_at at time zone 'UTC', '1 day')::date as day
  from "kubernetes_cluster" c
) d
on conflict ("projection", "org_id", "key") do nothing;
