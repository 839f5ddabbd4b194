/** What rules say, in words, and which of the simple forms says the same. Pure. */

export interface RuleCondition {
  attr: string
  op: string
  values?: readonly string[]
}
export interface Selector {
  all: readonly RuleCondition[]
}
export interface AllocationSpec {
  priority: number
  selector?: Selector
  team?: string
  teamFromTag?: { key: string; aliases?: Readonly<Record<string, string>>; create?: boolean }
}
export interface SharedSpec {
  selector: Selector
  among?: 'all' | readonly string[]
  method: string | { fixed: Readonly<Record<string, number>> }
  fixed?: Readonly<Record<string, number>>
  cost?: string
}

interface RuleWithSpec {
  spec: unknown
}
type Names = ReadonlyMap<string, string>

const attrs: Readonly<Record<string, string>> = {
  'res.provider': 'provider',
  'res.type': 'type',
  'res.region': 'region',
  'res.name': 'name',
  'res.instance_type': 'instance type',
  'res.resource_group': 'resource group',
  'res.cloud_account_id': 'account',
  'line.service': 'service',
  'line.cloud_account_id': 'account',
  'line.billing_account': 'billing account',
  'line.sub_account': 'sub-account',
  'line.charge_category': 'charge category',
  'account.ou': 'organizational unit',
}
const operators: Readonly<Record<string, string>> = {
  in: 'is',
  equals: 'is',
  not_in: 'is not',
  not_equals: 'is not',
  contains: 'contains',
  starts_with: 'starts with',
  ends_with: 'ends with',
  exists: 'exists',
  not_exists: 'does not exist',
}

export const tagPrefix = 'res.tags.'
const accountTagPrefix = 'account.tag.'

/** Values that are said; of more, how many. */
const saidMax = 4

export function conditionText({ attr, op, values = [] }: RuleCondition, names: Names = new Map()): string {
  const what = attr.startsWith(tagPrefix)
    ? `tag ${attr.slice(tagPrefix.length)}`
    : attr.startsWith(accountTagPrefix)
      ? `account tag ${attr.slice(accountTagPrefix.length)}`
      : (attrs[attr] ?? attr)
  const said = values.slice(0, saidMax).map((value) => names.get(value) ?? value)
  const more = values.length > saidMax ? [`${values.length - saidMax} more`] : []
  return [what, operators[op] ?? op, [...said, ...more].join(' or ')].filter((part) => part !== '').join(' ')
}

const selectorText = (selector: Selector | undefined, names: Names): string =>
  (selector?.all ?? []).map((one) => conditionText(one, names)).join(', and ')

/** `names` of teams and of accounts, by their ids. */
export function allocationText(given: unknown, names: Names): string {
  const { selector, team, teamFromTag } = given as AllocationSpec
  const where = selectorText(selector, names)
  if (teamFromTag) {
    const aliases = Object.keys(teamFromTag.aliases ?? {}).length
    const more = [
      aliases > 0 && `${aliases} other ${aliases === 1 ? 'spelling' : 'spellings'}`,
      teamFromTag.create && 'missing teams are created',
    ].filter(Boolean)
    return `${where ? `Where ${where}: the` : 'The'} team named by tag ${teamFromTag.key}${more.length > 0 ? ` (${more.join('; ')})` : ''}`
  }
  return `${where ? `Where ${where}` : 'Everything'}: to ${names.get(team ?? '') ?? 'a team that was deleted'}`
}

export function sharedText(given: unknown, names: Names): string {
  const { selector, among = 'all', method } = given as SharedSpec
  const percents = percentsOf(given as SharedSpec)
  const to = percents
    ? Object.entries(percents)
        .map(([id, percent]) => `${names.get(id) ?? 'a team'} ${percent}%`)
        .join(', ')
    : among === 'all'
      ? 'all teams'
      : among.map((id) => names.get(id) ?? 'a team').join(', ')
  const how = percents ? '' : method === 'even' ? ', evenly' : ', in proportion to their own costs'
  return `Where ${selectorText(selector, names)}: distributed to ${to}${how}`
}

/** Undefined where it goes by another method. */
export const percentsOf = ({ method, fixed }: SharedSpec): Readonly<Record<string, number>> | undefined =>
  typeof method === 'object' ? method.fixed : method === 'fixed' ? (fixed ?? {}) : undefined

/** Whether a rule may give a team its resources: it names it, or the tag does. */
export const mayGive = ({ spec }: RuleWithSpec, id: string): boolean => {
  const { team, teamFromTag } = spec as AllocationSpec
  return teamFromTag !== undefined || team === id
}

export const mayTakePart = ({ spec }: RuleWithSpec, id: string): boolean => {
  const percents = percentsOf(spec as SharedSpec)
  if (percents) return Object.hasOwn(percents, id)
  const { among = 'all' } = spec as SharedSpec
  return among === 'all' || among.includes(id)
}

/** The rule in the place of one that selects nothing: what a preview of it says is what would be without the rule. */
export const withoutIt = (spec: AllocationSpec): AllocationSpec => ({
  ...spec,
  selector: { all: [{ attr: 'res.provider', op: 'equals', values: ['(no rule)'] }] },
})

/** The order in which rules are asked: by priority, of equal ones the older first. */
export const inOrder = <R extends RuleWithSpec & { createdAt: string; id: string }>(rules: readonly R[]): R[] =>
  rules.toSorted((a, b) => {
    const [first, second] = [(a.spec as AllocationSpec).priority, (b.spec as AllocationSpec).priority]
    return first - second || (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id < b.id ? -1 : 1)
  })
