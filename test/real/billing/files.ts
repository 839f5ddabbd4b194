/** The billing files that the recorded data describes, each with what its publisher's numbers say the product must show. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSource, type Fields } from '#streams/billing/file/source.ts'
import { known, renamed, shifted, without, type Groups } from '#test/real/billing/groups.ts'

/** Columns of the facts that lines are grouped by, and how many characters of each count. */
export interface Check {
  title: string
  cost: 'BilledCost' | 'EffectiveCost' | 'ListCost'
  by: readonly (readonly [column: string, length: number])[]
  groups: Groups
}

export interface BillingFile {
  name: string
  paths: string[]
  rates: Record<string, string>
  /** Stands in for rows that name no provider. */
  provider?: 'aws'
  wanted: () => Promise<Wanted>
}

export interface Wanted {
  rows: number
  /** How many rows are refused, by reason. */
  refused: Record<string, number>
  checks: Check[]
  tagKeys?: Groups
  /** Of `key=value`; others may be there too. */
  tagPairs?: Groups
}

type TagGroups = Record<string, { rows: number; billed: string }>

interface Focus {
  /** Missing where only sums of columns are known: no row of such a file is of a provider. */
  files?: string[]
  rows: number
  billed: Record<string, Groups>
  effective: Record<string, Groups>
  tags: { keys: TagGroups; topPairs?: TagGroups }
}
interface Cur {
  rows: number
  currency: Record<string, number>
  unblended: Record<string, Groups>
}
interface Export extends Record<string, unknown> {
  rows: number
  currency?: Record<string, number>
}
interface Spec {
  rows: number
  columns: string[]
  sums: Record<string, string>
}

/** Every billing file that has expected values, but those of which no row can be a line. */
export function billingFiles(folder: string): BillingFile[] {
  const expected = <T>(pattern: RegExp): [string, T][] =>
    readdirSync(join(folder, 'expected'))
      .filter((name) => pattern.test(name))
      .flatMap((name) => {
        const found = JSON.parse(readFileSync(join(folder, 'expected', name), 'utf8')) as Record<string, T>
        return 'files' in found ? [[name, found as T] as [string, T]] : Object.entries(found)
      })
  const at = (name: string): string => join(folder, name.slice(name.indexOf('/') + 1))
  return [
    ...expected<Focus>(/^focus_(?!spec).*\.json$/).flatMap(([, file]) =>
      file.files ? [focusFile(file.files.map(at), file)] : [],
    ),
    ...expected<Cur>(/^aws_cur.*\.json$/).map(([name, file]) => curFile(at(name), file)),
    ...expected<Export>(/^other_exports.*\.json$/).flatMap(([name, file]) => exportFile(at(name), file)),
    ...expected<Spec>(/^focus_spec.*\.json$/).flatMap(([name, file]) => specFile(at(name), file)),
  ]
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const whole = 1000
const [day, month] = [10, 7]
const bare = (groups: Groups): Groups =>
  Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, { rows: group.rows, sum: group.sum }]))

function check(title: string, column: string, length: number, groups: Groups, cost: Check['cost'] = 'BilledCost') {
  return { title, cost, by: [[column, length]] as const, groups }
}

const text = (value: unknown): string => (typeof value === 'string' && value !== 'NULL' ? value : '')

const focusFile = (paths: string[], file: Focus): BillingFile => ({
  name: paths.map(nameOf).join(', '),
  paths,
  rates: {},
  wanted: async () => focusWanted(file),
})

function focusWanted(file: Focus): Wanted {
  const named = (groups: Groups | undefined) => renamed(groups ?? {}, text)
  const { billed, effective, tags } = file
  const days = named(billed['byDay'])
  const effectiveDays = named(effective['byDay'])
  const checks: Check[] = [
    check('day', 'x_Day', day, days),
    check('month', 'x_Day', month, byMonth(days)),
    check('effective day', 'x_Day', day, effectiveDays, 'EffectiveCost'),
    check('provider', 'x_Provider', whole, known(billed['byProvider']!)),
    check('effective provider', 'x_Provider', whole, known(effective['byProvider']!), 'EffectiveCost'),
  ]
  for (const [title, column] of focusColumns) {
    if (billed[title]) checks.push(check(title, column, whole, named(billed[title])))
  }
  for (const [title, column, count] of providerPeriods) {
    const by = [['x_Provider', whole] as const, [column, count] as const]
    if (billed[title]) checks.push({ title, cost: 'BilledCost', by, groups: known(billed[title]) })
  }
  return {
    rows: file.rows,
    refused: {},
    checks,
    tagKeys: tagged(tags.keys),
    ...(tags.topPairs && { tagPairs: tagged(tags.topPairs) }),
  }
}

const tagged = (groups: TagGroups): Groups =>
  Object.fromEntries(Object.entries(groups).map(([key, { rows, billed }]) => [key, { rows, sum: billed }]))

const byMonth = (days: Groups): Groups => renamed(days, (name) => name.slice(0, month))

const focusColumns = [
  ['byService', 'ServiceName'],
  ['byServiceCategory', 'ServiceCategory'],
  ['byRegion', 'RegionId'],
  ['bySubAccount', 'SubAccountId'],
  ['byChargeCategory', 'ChargeCategory'],
  ['byPricingCategory', 'PricingCategory'],
] as const

const providerPeriods = [
  ['byProviderBillingMonth', 'BillingPeriodStart', month],
  ['byProviderChargeMonth', 'ChargePeriodStart', month],
  ['byProviderDay', 'x_Day', day],
] as const

async function rowsOf(path: string): Promise<Fields[]> {
  const rows: Fields[] = []
  for await (const found of (await openSource(path)).rows) {
    if (!('fields' in found)) throw found.fault
    rows.push(found.fields)
  }
  return rows
}

/** Each currency but the US dollar is worth a tenth of one where the file is all of it; of several, none can be told apart. */
function ratesOf(currency: Record<string, number> = {}): { rates: Record<string, string>; places: number } {
  const codes = Object.keys(currency)
  const single = codes.length === 1 && codes[0] !== 'USD'
  const foreign = codes.filter((code) => code !== 'USD').map((code) => [code, single ? '0.1' : '1'])
  return { rates: Object.fromEntries(foreign) as Record<string, string>, places: single ? 1 : 0 }
}

function curFile(path: string, file: Cur): BillingFile {
  const { byDay, byBillingPeriod, byProductCode, byUsageAccount, byRegion, byLineItemType } = file.unblended
  const checks = [
    check('day', 'x_Day', day, bare(byDay!)),
    check('month', 'x_Day', month, byMonth(byDay!)),
    check('billing month', 'BillingPeriodStart', month, bare(byBillingPeriod!)),
    check('service', 'ServiceName', whole, bare(byProductCode!)),
    check('sub account', 'SubAccountId', whole, bare(byUsageAccount!)),
    check('region', 'RegionId', whole, bare(byRegion!)),
    check(
      'charge category',
      'ChargeCategory',
      whole,
      renamed(byLineItemType!, (type) => itemTypes[type] ?? type),
    ),
    check(
      'provider',
      'x_Provider',
      whole,
      renamed(byDay!, () => 'aws'),
    ),
  ]
  return simple(path, file.rows, checks, ratesOf(file.currency))
}

/** A file of which every row is a line. */
function simple(
  path: string,
  rows: number,
  checks: Check[],
  { rates, places }: ReturnType<typeof ratesOf>,
): BillingFile {
  const wanted = { rows, refused: {}, checks: checks.map((one) => ({ ...one, groups: shifted(one.groups, places) })) }
  return { name: nameOf(path), paths: [path], rates, wanted: async () => wanted }
}

const itemTypes: Readonly<Record<string, string>> = {
  SavingsPlanCoveredUsage: 'Usage',
  DiscountedUsage: 'Usage',
  SavingsPlanNegation: 'Usage',
  Fee: 'Purchase',
  RIFee: 'Purchase',
  SavingsPlanRecurringFee: 'Purchase',
  SavingsPlanUpfrontFee: 'Purchase',
  Refund: 'Adjustment',
}

function exportFile(path: string, file: Export): BillingFile[] {
  const isAzure = path.includes('/azure-export/')
  if (!isAzure && !path.includes('/gcp-export/')) return []
  return [simple(path, file.rows, isAzure ? azureChecks(file) : gcpChecks(file), ratesOf(file.currency))]
}

function azureChecks(file: Export): Check[] {
  const groups = (name: string) => (file[name] ?? {}) as Groups
  const days = renamed(groups('byDate'), isoDay)
  return [
    check('day', 'x_Day', day, days),
    check('month', 'x_Day', month, byMonth(days)),
    check('service', 'ServiceName', whole, bare(groups('byMeterCategory'))),
    check('sub account', 'SubAccountId', whole, bare(groups('bySubscription'))),
    ...(file['byChargeType'] ? [check('charge category', 'ChargeCategory', whole, bare(groups('byChargeType')))] : []),
    check(
      'provider',
      'x_Provider',
      whole,
      renamed(days, () => 'azure'),
    ),
  ]
}

/** `2023-09-04` for `09/04/2023`, `9/4/2023` and `2023-09-04 00:00:00`. */
function isoDay(value: string): string {
  const [, m, d, y] = /^(\d+)\/(\d+)\/(\d{4})/.exec(value) ?? []
  return y ? `${y}-${m!.padStart(2, '0')}-${d!.padStart(2, '0')}` : value.slice(0, day)
}

/** What Google prices is the list cost; what it bills is the net of credits. */
function gcpChecks(file: Export): Check[] {
  const of = (title: string, column: string, count: number, name: string) =>
    check(title, column, count, bare(file[name] as Groups), 'ListCost')
  const net = { gcp: { rows: file.rows, sum: file['net'] as string } }
  return [
    check('provider', 'x_Provider', whole, net),
    of('day', 'x_Day', day, 'byUsageDayUTC'),
    of('service', 'ServiceName', whole, 'byService'),
    of('sub account', 'SubAccountId', whole, 'byProject'),
  ]
}

const providerColumns = ['ProviderName', 'ServiceProviderName', 'PublisherName', 'InvoiceIssuerName', 'InvoiceIssuer']

/** Examples that name no provider: they are lines once `--provider` says whose bill it is. One has a row at 30 o'clock. */
function specFile(path: string, file: Spec): BillingFile[] {
  const isNamed = file.columns.some((column) => providerColumns.includes(column))
  if (isNamed || !file.columns.includes('ChargePeriodStart')) return []
  const costs = (['BilledCost', 'EffectiveCost', 'ListCost'] as const).filter((cost) => file.sums[cost] !== undefined)
  const wanted = async (): Promise<Wanted> => {
    const bad = (await rowsOf(path)).filter(isOffTheClock)
    const checks = costs.map((cost) => {
      const groups = { aws: { rows: file.rows, sum: file.sums[cost]! } }
      const parts = bad.map((row) => ({ key: 'aws', amount: text(row[cost]) }))
      return check(cost, 'x_Provider', whole, without(groups, parts), cost)
    })
    return { rows: file.rows, refused: bad.length > 0 ? { date_invalid: bad.length } : {}, checks }
  }
  return [{ name: nameOf(path), paths: [path], rates: {}, provider: 'aws', wanted }]
}

const isOffTheClock = (row: Fields): boolean =>
  Object.entries(row).some(([name, value]) => /Period(Start|End)$/.test(name) && Number.isNaN(Date.parse(text(value))))
