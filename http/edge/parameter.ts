/** What parameters mean that mean the same wherever they are taken; a route says of the others itself. */

const words: Readonly<Record<string, string>> = {
  provider: 'only of these clouds',
  service_provider: 'only of these providers, as bills name them',
  cloud_account_id: 'only of these cloud accounts, by their ids',
  region: 'only in these regions, as the cloud names them',
  team_id: 'only of these teams, by their ids; unassigned: of none',
  resource_type: 'only of these types of resources, such as aws-ec2',
  resource_uid: 'only of these resources, by the uids that their cloud gives them',
  service_name: 'only of these services, as bills name them',
  purchase_type: 'only what was bought so: on_demand, reserved, spot or savings_plan',
  charge_category: 'only charges of these categories of FOCUS',
  invoice_id: 'only of these invoices',
  billing_account: 'only from the bills of these accounts',
  sub_account: 'only of these linked accounts, projects or subscriptions, as bills name them',
  cluster: 'only of these clusters of Kubernetes',
  namespace: 'only of these namespaces of clusters',
  group_id: 'only of this resource group, by its id',
  status: 'only those that are so',
  severity: 'only those that are so severe',
  rule_id: 'only what these rules have found, such as RC-1001',
  category: 'only of these categories',
  kind: 'only of these kinds',
  type: 'only of these types',
  source: 'only of these sources',
  phase: 'only those that are so far',
  domain: 'only of this domain',
  review: 'only those that people have judged so',
  branch: 'only of this branch',
  repository_url: 'only of this repository',
  schedulable: 'true: only what can be started and stopped; false: only what cannot',
  include_suppressed: 'true: those too that new resources explain',
  include_recurring: 'true: those too that recur every week or month',
  target_uid: 'only for this target, by the uid that its cloud gives it',
  target_type: 'only for targets of this type',
  user_id: 'only of this person, by the id of the member',
  ids: 'by these ids',
  uids: 'by these uids, which the clouds give',
  sort_by: 'what the list is in the order of',
  sort_order: 'asc: the smallest, oldest or first name first; desc: the other way round',
  granularity: 'how long a period is; weeks are those of ISO 8601',
  group_by: 'what the figures are added up by',
  code: 'only those with one of these codes',
  signature: 'what the link was signed with: it is part of the link',
}

const inPaths: Readonly<Record<string, string>> = {
  tagKey: 'a key of tags, percent-encoded',
  tagValue: 'a value of that key, percent-encoded',
  domain: 'a domain of mail addresses',
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
  return `the id of the ${called === 'org' ? 'organization' : called === 'rec' ? 'recommendation' : called}`
}
