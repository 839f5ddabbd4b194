/** Questions about how resources of an account relate. All take the organization, the account, and what is looked for. */
export const childrenSql = `
  select uid, type, status, parent_uid as "parentUid" from resource
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null and parent_uid = any($3::text[]) and type <> all($4::text[])`

export const countsSql = `
  select parent_uid as "parentUid", count(*)::int as count from resource
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null and parent_uid = any($3::text[]) group by parent_uid`

export const presentSql = `
  select uid, type, status from resource
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null and uid = any($3::text[])`

/** Finds resources that may have copies in the account; run once per page, if the page has copies. */
export const namedSql = `
  select lower(regexp_replace(uid, '^.*[/:]', '')) as part from resource
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null
    and type ~ '-(ebs-volume|ec2|rds|aurora-cluster|documentdb|neptune|redshift|dynamodb-table|efs|fsx|s3-bucket|disk|cloudsql|vm)$'
    and lower(regexp_replace(uid, '^.*[/:]', '')) = any($3::text[])`

/** Load balancers that send to machines of the page. Producers may have sent anything as a list. */
export const balancersSql = `
  select target as "uid", count(*)::int as count from resource
  cross join jsonb_array_elements_text(
    case when jsonb_typeof(specs -> 'target_instances') = 'array' then specs -> 'target_instances' else '[]' end) as target
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null and type in ('aws-alb', 'aws-nlb')
    and target = any($3::text[]) group by target`

/**
 * Load balancers by the name that resolves to them, in lower case, or by their address. Those of Google are forwarding
 * rules; of one of Azure, which all services of a cluster share, only the address is a service's own. Networks may use
 * the same address twice: then it names none.
 */
export const balancersOfSql = `
  select min(uid) as uid, host as name from resource
  cross join lateral (select lower(specs ->> case type
    when 'gcp-forwarding-rule' then 'ip_address' when 'azure-public-ip' then 'public_ipv4' else 'dns_name' end) as host) as named
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null
    and type in ('aws-alb', 'aws-nlb', 'aws-clb', 'gcp-forwarding-rule', 'azure-public-ip') and host = any($3::text[])
  group by host having count(*) = 1`

/** Pods of the clusters of the page: all, and those outside of the namespaces that clouds and clusters keep for themselves. */
export const podsSql = `
  select parent_uid as "uid", count(*)::int as whole,
    (count(*) filter (where specs ->> 'phase' = 'Running' and not specs ->> 'namespace' ~ $4))::int as count
  from resource
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null and parent_uid = any($3::text[]) and type ~ '-pod$'
  group by parent_uid`

export const groupedSql = `
  select resource_group as name, count(*)::int as count from resource
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null and resource_group = any($3::text[])
    and type <> 'azure-resource-group' group by resource_group`

/** Levels below a cluster: node pools, their groups, their machines, and the disks of these. */
export const membersSql = `
  with recursive member (root, uid, depth) as (
    select parent_uid, uid, 1 from resource
    where org_id = $1 and cloud_account_id = $2 and deleted_at is null and parent_uid = any($3::text[]) and type <> all($4::text[])
    union all
    select member.root, resource.uid, member.depth + 1 from member
    join resource on resource.org_id = $1 and resource.cloud_account_id = $2 and resource.deleted_at is null
      and resource.parent_uid = member.uid and resource.type <> all($4::text[])
    where member.depth < 5)
  select distinct root, uid from member`

/**
 * Disks of the claims that workloads of a cluster mount, also while these have no pods, as bills name them. A claim of a
 * stateful set is one for each number: `data-web-*`.
 */
export const claimedDisksSql = `
  select workload.uid, volume.specs ->> 'disk' as disk from resource workload
  cross join jsonb_array_elements_text(workload.specs -> 'claims') as claim
  join resource volume on volume.org_id = $1 and volume.cloud_account_id = $2 and volume.deleted_at is null
    and volume.parent_uid = workload.parent_uid and volume.type ~ '-persistentvolume$'
    and volume.specs ->> 'claim' ~ ('^' || (workload.specs ->> 'namespace') || '/' || replace(claim, '*', '[0-9]+') || '$')
  where workload.org_id = $1 and workload.cloud_account_id = $2 and workload.uid = any($3::text[])
    and volume.specs ->> 'disk' is not null`
