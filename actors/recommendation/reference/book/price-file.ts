/**
 * An operator's file of sizes, prices, support dates and discounts: CSV with the columns kind, region, name, field,
 * value.
 */
import { parse } from 'csv-parse/sync'
import { namedEc2 } from '#streams/cloud/reference/aws/sizes.ts'
import { namedAzure } from '#streams/cloud/reference/azure/sizes.ts'
import { namedGce } from '#streams/cloud/reference/gcp/sizes.ts'
import type { OwnValue } from './own-values.ts'
import { products, tiers } from '#actors/recommendation/reference/commitment.ts'
import { allSeries } from '#actors/recommendation/reference/lifecycle.ts'
import { isStorage } from '#actors/recommendation/reference/storage.ts'
import { priceKeys } from '#actors/recommendation/reference/unit-price.ts'

interface Problem {
  /** Line of the file; the header is line 1. */
  readonly line: number
  readonly message: string
}

export interface FileRead {
  readonly values: readonly OwnValue[]
  readonly problems: readonly Problem[]
}

const columns = ['kind', 'region', 'name', 'field', 'value'] as const

/** Maximum rows of a file. */
const rowsMax = 200_000

type Check = (value: string) => string | undefined

const number =
  (isGood: (value: number) => boolean, what: string): Check =>
  (value) =>
    /^\d+(\.\d+)?(e-?\d+)?$/i.test(value) && isGood(Number(value)) ? undefined : `value must be ${what}`

/** A price of 0 is a gap in a price list: taken as a price it would make a size free. */
const usd = number((value) => value > 0 && value < 1e6, 'a number of US dollars above 0')
const dimension = number((value) => value > 0 && value < 1e6, 'a number above 0')
const count = number((value) => Number.isInteger(value) && value < 1000, 'a whole number, 0 or more')
const share = number(
  (value) => value > 0 && value <= 1,
  'the fraction of the price that remains, above 0 and at most 1',
)
const arch: Check = (value) => (['x86_64', 'arm64'].includes(value) ? undefined : 'value must be x86_64 or arm64')
const day: Check = (value) =>
  /^\d{4}-\d\d-\d\d$/.test(value) && new Date(value).toJSON()?.slice(0, 10) === value
    ? undefined
    : 'value must be a date, YYYY-MM-DD'

interface Kind {
  readonly fields: Readonly<Record<string, Check>>
  /** Whether the field may differ by region; other fields need an empty region. */
  readonly regional: (field: string) => boolean
  readonly isName: (name: string) => boolean
  /** The format of names, for people. */
  readonly names: string
}

const size = { usd_hour: usd, vcpus: dimension, memory_gib: dimension, gpus: count, arch }
const isPrice = (field: string) => field.startsWith('usd')
const node = (pattern: RegExp, names: string): Kind => ({
  fields: { usd_hour: usd },
  regional: isPrice,
  isName: (name) => pattern.test(name),
  names,
})

const kinds: Readonly<Record<string, Kind>> = {
  ec2: {
    fields: size,
    regional: isPrice,
    isName: (name) => namedEc2(name) !== undefined,
    names: 'an instance type such as m5.large',
  },
  gce: {
    fields: size,
    regional: isPrice,
    isName: (name) => namedGce(name) !== undefined,
    names: 'a machine type such as n2-standard-4',
  },
  'azure-vm': {
    fields: size,
    regional: isPrice,
    isName: (name) => namedAzure(name) !== undefined,
    names: 'a VM size such as Standard_D4s_v5',
  },
  rds: node(/^db\.[a-z0-9-]+\.[a-z0-9-]+$/, 'an instance class such as db.m5.large'),
  elasticache: node(/^cache\.[a-z0-9-]+\.[a-z0-9-]+$/, 'a node type such as cache.m5.large'),
  opensearch: node(/^[a-z0-9-]+\.[a-z0-9-]+\.search$/, 'an instance type such as m5.large.search'),
  msk: node(/^kafka\.[a-z0-9-]+\.[a-z0-9-]+$/, 'a broker type such as kafka.m5.large'),
  price: {
    fields: { usd },
    regional: () => true,
    isName: (name) => priceKeys.includes(name),
    names: `one of ${priceKeys.join(', ')}`,
  },
  storage: {
    fields: { usd_gb_month: usd },
    regional: () => true,
    isName: (name) => isStorage(name.split('/')[0]!) && /^[^/]+\/\w[\w-]*$/.test(name),
    names: 'a resource type and a storage kind such as aws-ebs-volume/gp3',
  },
  lifecycle: {
    fields: { end_of_support: day },
    regional: () => false,
    isName: (name) => allSeries.includes(name.split('/')[0]!) && /^[^/]+\/[^/]+$/.test(name),
    names: `a series and a version such as rds-postgres/18; series: ${allSeries.join(', ')}`,
  },
  commitment: {
    fields: Object.fromEntries(tiers.map((tier) => [tier, share])),
    regional: () => true,
    isName: (name) => products.includes(name),
    names: `one of ${products.join(', ')}`,
  },
}

export const kindNames: readonly string[] = Object.keys(kinds)

/** @returns all values of the file and all problems; with problems none of the values may be used */
export function readPrices(text: string): FileRead {
  let rows: { record: Record<string, string>; line: number }[]
  try {
    rows = linesOf(text)
  } catch (error) {
    return { values: [], problems: [{ line: 1, message: `is not valid CSV: ${(error as Error).message}` }] }
  }
  const [first] = rows
  const missing = columns.filter((column) => first !== undefined && !Object.hasOwn(first.record, column))
  if (!first) return { values: [], problems: [{ line: 1, message: 'the file has no rows' }] }
  if (missing.length > 0)
    return { values: [], problems: [{ line: 1, message: `the file has no column ${missing.join(', ')}` }] }
  if (rows.length > rowsMax)
    return { values: [], problems: [{ line: 1, message: `the file has more than ${rowsMax} rows` }] }
  return checkRows(rows)
}

function linesOf(text: string): { record: Record<string, string>; line: number }[] {
  const parsed: { record: Record<string, string>; info: { lines: number } }[] = parse(text, {
    columns: true,
    bom: true,
    trim: true,
    info: true,
    skip_empty_lines: true,
    comment: '#',
    comment_no_infix: true,
  })
  return parsed.map(({ record, info }) => ({ record, line: info.lines }))
}

function checkRows(rows: readonly { record: Record<string, string>; line: number }[]): FileRead {
  const values: OwnValue[] = []
  const problems: Problem[] = []
  const lineOf = new Map<string, number>()
  for (const { record, line } of rows) {
    const [kind = '', region = '', name = '', field = '', value = ''] = columns.map((column) => record[column])
    const one = { kind, region, name, field, value }
    const key = JSON.stringify([kind, region, name, field])
    const before = lineOf.get(key)
    const message = before === undefined ? problemOf(one) : `repeats line ${before}`
    if (message === undefined) values.push(one)
    else problems.push({ line, message })
    if (before === undefined) lineOf.set(key, line)
  }
  return { values, problems }
}

function problemOf({ kind, region, name, field, value }: OwnValue): string | undefined {
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (!known) return `kind must be one of ${kindNames.join(', ')}`
  if (!/^[a-zA-Z0-9-]{0,64}$/.test(region))
    return 'region must contain only letters, digits and dashes, or be empty for all regions'
  if (name.length > 128 || !known.isName(name)) return `name must be ${known.names}`
  const check = Object.hasOwn(known.fields, field) ? known.fields[field] : undefined
  if (!check) return `field must be one of ${Object.keys(known.fields).join(', ')}`
  if (region !== '' && !known.regional(field)) return `${field} is the same in all regions: region must be empty`
  return check(value)
}
