/** What costs are narrowed by and divided into, and how an address says it: under the names that the API has for it. */
import { isTag, keyOf, titleOf } from './filter-dimension.ts'
import type { Query } from './query.ts'
import { whereWords } from './where.ts'

/** Who used a cluster: costs are divided by them, lines of bills do not name them. */
export const ofClusters = ['cluster', 'namespace']

/** A parameter of the address that narrows, with one of its values. */
export interface Chip {
  name: string
  value: string
}

/** The parameter of conditions: one for all of them. */
export const whereName = 'where'

/** Parameters of reports that hold several values joined by commas; the others hold one each time. */
const plain = ['provider', 'cloud_account_id', 'region', 'resource_type', 'team_id']

/** Dimensions asked for at once, at most. */
export const dimsMax = 3

/** `filter[region]` and `region` narrow the same dimension; `tag` has its key in the value. */
export const dimOf = ({ name, value }: Chip): string =>
  name === 'tag' ? `tag:${value.split(':')[0]}` : name.replace(/^filter\[(.*)\]$/, '$1')

const isNarrowing = (name: string): boolean =>
  name === 'tag' || name === whereName || plain.includes(name) || /^filter\[.+\]$/.test(name)

export const chipsOf = (search: URLSearchParams): Chip[] =>
  [...search].flatMap(([name, value]) => (isNarrowing(name) && value !== '' ? [{ name, value }] : []))

/** How a chip is read: Region, eu-west-1. */
export function wordsOf(chip: Chip): { title: string; value: string } {
  const dim = dimOf(chip)
  if (chip.name === whereName) return { title: 'Conditions', value: whereWords(chip.value) }
  if (chip.name !== 'tag') return { title: titleOf(dim), value: chip.value }
  return {
    title: titleOf(dim),
    value: chip.value.includes(':') ? chip.value.slice(chip.value.indexOf(':') + 1) : 'any value',
  }
}

/** As reports are asked with. */
export function queryOf(chips: readonly Chip[]): Record<string, string[]> {
  const query: Record<string, string[]> = {}
  for (const { name, value } of chips) (query[name] ??= []).push(value)
  return query
}

const isSame = (a: Chip, b: Chip): boolean => a.name === b.name && a.value === b.value
export const without = (chips: readonly Chip[], chip: Chip): Chip[] => chips.filter((one) => !isSame(one, chip))
/** Those that narrow other dimensions. */
export const otherThan = (chips: readonly Chip[], dim: string): Chip[] => chips.filter((chip) => dimOf(chip) !== dim)

/**
 * A value of a dimension as a chip; `tag` where every report takes it: its key ends at the first colon, and nothing but a
 * value can be named.
 */
export const chipFor = (dim: string, value: string): Chip =>
  isTag(dim) && value !== '(none)' && value !== '' && !keyOf(dim).includes(':')
    ? { name: 'tag', value: `${keyOf(dim)}:${value}` }
    : { name: `filter[${dim}]`, value }

/**
 * One value more: those of a dimension are alternatives. Values of one tag are alternatives as filter[tag:KEY] alone, for
 * of `tag` all must hold.
 */
export function addValue(chips: readonly Chip[], dim: string, value: string): Chip[] {
  const chip = chipFor(dim, value)
  if (chips.some((one) => isSame(one, chip))) return [...chips]
  const same = chips.filter((one) => dimOf(one) === dim)
  if (!isTag(dim) || same.length === 0) return [...chips, chip]
  const values = [
    ...same.filter(({ name, value: of }) => name !== 'tag' || of.includes(':')).map((one) => wordsOf(one).value),
    value,
  ]
  return [...otherThan(chips, dim), ...[...new Set(values)].map((of) => ({ name: `filter[${dim}]`, value: of }))]
}

/** Only what carries the tag, whatever its value. */
export const addTagKey = (chips: readonly Chip[], key: string): Chip[] =>
  key.includes(':') || chips.some((chip) => dimOf(chip) === `tag:${key}`)
    ? [...chips]
    : [...chips, { name: 'tag', value: key }]

/** What is looked at behind a dimension. */
const behind: Readonly<Record<string, string>> = {
  provider: 'cloud_account_id',
  service_provider: 'cloud_account_id',
  cloud_account_id: 'service_name',
  billing_account: 'sub_account',
  sub_account: 'service_name',
  service_name: 'resource_type',
  resource_type: 'resource_uid',
  resource_uid: 'charge_category',
  charge_category: 'purchase_type',
  cluster: 'namespace',
  namespace: 'resource_uid',
}

/** The dimension behind the last one, of those that are not down to one value yet. */
export function nextDim(chips: readonly Chip[], last?: string): string {
  const single = (dim: string) => chips.filter((chip) => dimOf(chip) === dim).length === 1
  let dim = last === undefined ? 'service_name' : (behind[last] ?? 'service_name')
  while (single(dim) && behind[dim]) dim = behind[dim]!
  return dim
}

/** One group of a report looked at alone: narrowed to its values, by the next dimension. */
export function drillDown(
  chips: readonly Chip[],
  key: Readonly<Record<string, string>>,
): { chips: Chip[]; dim: string } {
  const dims = Object.keys(key)
  const others = chips.filter((chip) => !dims.includes(dimOf(chip)))
  const all = [...others, ...dims.map((dim) => chipFor(dim, key[dim]!))]
  return { chips: all, dim: nextDim(all, dims.at(-1)) }
}

/** What the receipt of one group is asked with, beside the parameters of its report. */
export const groupQuery = (key: Readonly<Record<string, string>>): Query =>
  Object.fromEntries(Object.entries(key).map(([dim, value]) => [`filter[${dim}]`, value]))

/** For reports that take no filter[...]: undefined where they cannot be asked the same. */
export function plainQuery(chips: readonly Chip[]): Record<string, string[]> | undefined {
  const query: Record<string, string[]> = {}
  for (const chip of chips) {
    const dim = chip.name === 'tag' ? 'tag' : dimOf(chip)
    const isKnown = dim === 'tag' || (plain.includes(dim) && !(chip.name !== dim && chip.value.includes(',')))
    const isMixed = chips.some((other) => other.name !== chip.name && dim !== 'tag' && dimOf(other) === dim)
    if (!isKnown || isMixed) return undefined
    ;(query[dim] ??= []).push(chip.value)
  }
  return query
}

/** Conditions instead of those of before; none if the text is undefined. */
export const withWhere = (chips: readonly Chip[], text: string | undefined): Chip[] => [
  ...chips.filter(({ name }) => name !== whereName),
  ...(text === undefined ? [] : [{ name: whereName, value: text }]),
]

/** Anomalies are of all costs, of one account or of one team; undefined: none can be of these. */
export function anomalyQuery(chips: readonly Chip[]): Record<string, string[]> | undefined {
  const [only] = chips
  if (only === undefined) return {}
  const dim = dimOf(only)
  return chips.length === 1 && (dim === 'cloud_account_id' || dim === 'team_id') ? plainQuery(chips) : undefined
}

/** What hinders /reports/drivers, if anything does. */
export const notDriven = (chips: readonly Chip[]): Chip | undefined =>
  chips.find(
    (chip) => chip.name.startsWith('filter[tag:') || ['invoice_id', whereName, ...ofClusters].includes(dimOf(chip)),
  )

/** A node of the first level is called by its value, with % and | escaped. */
export const valueOf = (id: string): string => id.replaceAll('%7C', '|').replaceAll('%25', '%')
