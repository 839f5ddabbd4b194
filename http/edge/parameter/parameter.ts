/** What parameters mean that mean the same wherever they are taken; a route says of the others itself. */

const words: Readonly<Record<string, string>> = {
  provider: 'filter by cloud',
  service_provider: 'filter by provider, as in bills',
  cloud_account_id: 'filter by cloud account ID',
  region: 'filter by region, as named by the cloud',
  team_id: 'filter by team ID; unassigned: no team',
  resource_type: 'filter by resource type, such as aws-ec2',
  resource_uid: 'filter by resource UID, as assigned by the cloud',
  service_name: 'filter by service, as in bills',
  purchase_type: 'filter by purchase type: on_demand, reserved, spot or savings_plan',
  charge_category: 'filter by FOCUS charge category',
  invoice_id: 'filter by invoice',
  billing_account: 'filter by billing account',
  sub_account: 'filter by linked account, project or subscription, as in bills',
  cluster: 'filter by Kubernetes cluster',
  namespace: 'filter by Kubernetes namespace',
  group_id: 'filter by resource group ID',
  status: 'filter by status',
  severity: 'filter by severity',
  rule_id: 'filter by rule, such as RC-1001',
  category: 'filter by category',
  kind: 'filter by kind',
  type: 'filter by type',
  source: 'filter by source',
  phase: 'filter by stage',
  domain: 'filter by domain',
  review: 'filter by the verdict of reviewers',
  branch: 'filter by branch',
  repository_url: 'filter by repository',
  schedulable: 'true: only resources that can be started and stopped; false: only others',
  include_suppressed: 'true: include those explained by new resources',
  include_recurring: 'true: include those that recur weekly or monthly',
  target_uid: 'filter by target UID, as assigned by the cloud',
  target_type: 'filter by target type',
  user_id: 'filter by member ID',
  ids: 'filter by ID',
  uids: 'filter by UID, as assigned by the cloud',
  sort_by: 'sort key',
  sort_order: 'asc: smallest, oldest or first name first; desc: the reverse',
  granularity: 'length of a period; weeks are ISO 8601 weeks',
  group_by: 'dimension to group by',
  code: 'filter by code',
  signature: 'signature of the link; part of the link',
}

const inPaths: Readonly<Record<string, string>> = {
  tagKey: 'tag key, percent-encoded',
  tagValue: 'tag value, percent-encoded',
  domain: 'email domain',
}

/**
 * By the name of a parameter. `filter[name]` is what `name` is. Ids in paths are those of what they are called after: `teamID` is the id
 * of a team. Undefined for a name whose route must say what it is.
 */
export function meaningOf(name: string, where: 'path' | 'query'): string | undefined {
  const table = where === 'path' ? inPaths : words
  const [, filtered = name] = /^filter\[(\w+)\]$/.exec(name) ?? []
  if (Object.hasOwn(table, filtered)) return table[filtered]
  const [, thing] = where === 'path' ? (/^(\w+)ID$/.exec(name) ?? []) : []
  if (thing === undefined) return undefined
  const called = thing.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return `${called === 'org' ? 'organization' : called === 'rec' ? 'recommendation' : called} ID`
}
