/**
 * The bill of a subscription without an export, from Cost Management: a row for each day, resource, meter and kind of
 * charge. Actual and amortized costs are queried one after the other, and each row becomes one line with both. A sync
 * reads a whole month as one export, as it does with files; so an export, once there is one, replaces these lines.
 */
import { addDays, addMonths, dayMs, firstOf, lastOf, monthOf } from '#engine/value/day.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import { decoder, t } from '#engine/value/schema.ts'
import { readAzureExport } from '#streams/billing/format/azure-export.ts'
import { digest } from '#streams/billing/line/line-id.ts'
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { Survey } from '#streams/billing/row/survey.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { memberOf } from '#streams/cloud/kubernetes/api/json-access.ts'
import { costRead } from '#streams/cloud/azure/permission/permissions.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'

/** What rows are grouped by, and the column of an export with the same content. */
const dimensions = {
  ServiceName: 'metercategory',
  ResourceGroupName: 'resourcegroupname',
  ResourceId: 'resourceid',
  ResourceLocation: 'resourcelocation',
  Meter: 'metername',
  ChargeType: 'chargetype',
} as const
/** Only some agreements have these: a query with one that is unknown is refused. */
const commitmentDimensions = {
  PricingModel: 'pricingmodel',
  BenefitId: 'benefitid',
  BenefitName: 'benefitname',
} as const

type Dimensions = Readonly<Record<string, string>>

const rowsPerPage = 5000
/** Rows of one month, which are held in memory. */
const rowsMax = 400_000
const linesPerPage = 1000
/** Days after the end of a month in which Azure may still change it. */
const closingDays = 5

const forms = ['ActualCost', 'AmortizedCost'] as const
type Form = (typeof forms)[number]

const Answer = t.Object(
  {
    columns: t.Array(t.Object({ name: t.String() }, { additionalProperties: true })),
    rows: t.Array(t.Array(t.Unknown())),
    nextLink: t.Optional(t.Union([t.String(), t.Null()])),
  },
  { additionalProperties: true },
)
const decode = decoder(Answer)

/** Amounts in the billing currency and in US dollars, in units of the smallest place. */
interface Costs {
  billing: bigint
  usd: bigint
}

interface Charge {
  day: string
  currency: string
  /** By column of an export; empty ones are left out. */
  columns: Readonly<Record<string, string>>
  costs: Partial<Record<Form, Costs>>
}

interface QueriedDays {
  /** YYYY-MM-DD, both included, within one month. */
  from: string
  to: string
  /** Milliseconds since 1970. */
  now: number
}

/** @throws `bill_too_large`, and faults of Cost Management */
export async function* queryBill(session: AzureSession, asked: QueriedDays): AsyncGenerator<BillingLine[]> {
  const charges = await readCharges(session, asked)
  const source = isOpen(asked) ? 'estimate' : 'actual'
  let page: BillingLine[] = []
  for (const [key, charge] of charges) {
    const line = toLine(session, key, charge)
    if (line !== undefined) page.push({ ...line, source })
    if (page.length < linesPerPage) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

const isOpen = ({ from, now }: QueriedDays): boolean =>
  now < Date.parse(firstOf(addMonths(monthOf(from), 1))) + closingDays * dayMs

/** Some agreements have no dimensions of commitments: then their use is not told apart. */
async function readCharges(session: AzureSession, asked: QueriedDays): Promise<ReadonlyMap<string, Charge>> {
  try {
    return await chargesBy(session, asked, { ...dimensions, ...commitmentDimensions })
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'rejected') throw error
    return chargesBy(session, asked, dimensions)
  }
}

async function chargesBy(
  session: AzureSession,
  asked: QueriedDays,
  by: Dimensions,
): Promise<ReadonlyMap<string, Charge>> {
  const charges = new Map<string, Charge>()
  for (const form of forms)
    for await (const row of rowsOf(session, form, asked, by)) {
      const { costs, ...one } = chargeOf(row, by)
      const key = digest(JSON.stringify([one.day, one.currency, ...Object.entries(one.columns).flat()]))
      const charge = charges.get(key) ?? { ...one, costs: {} }
      const known = charge.costs[form] ?? { billing: 0n, usd: 0n }
      charge.costs[form] = { billing: known.billing + costs.billing, usd: known.usd + costs.usd }
      charges.set(key, charge)
      if (charges.size > rowsMax)
        throw cloudFault(
          'user_action',
          'bill_too_large',
          `The costs of ${asked.from.slice(0, 7)} have more than ${rowsMax} rows.`,
          {
            fixHint: 'Create an export of the subscription and set its location as the billing export of the account.',
          },
        )
    }
  return charges
}

type Row = Readonly<Record<string, unknown>>

async function* rowsOf(
  session: AzureSession,
  type: Form,
  { from, to }: QueriedDays,
  by: Dimensions,
): AsyncGenerator<Row> {
  const body = {
    type,
    timeframe: 'Custom',
    timePeriod: { from: `${from}T00:00:00Z`, to: `${to}T23:59:59Z` },
    dataset: {
      granularity: 'Daily',
      aggregation: { cost: { name: 'Cost', function: 'Sum' }, costUSD: { name: 'CostUSD', function: 'Sum' } },
      grouping: Object.keys(by).map((name) => ({ type: 'Dimension', name })),
    },
  }
  let token: string | undefined
  do {
    const answer = await session.ask({
      method: 'POST',
      path: session.path('/providers/Microsoft.CostManagement/query'),
      query: {
        'api-version': '2023-11-01',
        $top: String(rowsPerPage),
        ...(token !== undefined && { $skiptoken: token }),
      },
      body,
      permission: costRead,
    })
    const properties = memberOf(answer, 'properties')
    // Without any costs, the answer is empty.
    if (properties === undefined) return
    const { columns, rows, nextLink } = read(properties)
    for (const row of rows) yield Object.fromEntries(columns.map(({ name }, at) => [name.toLowerCase(), row[at]]))
    const next = tokenIn(nextLink ?? '')
    if (next !== undefined && next === token) throw unread('leads to itself')
    token = next
  } while (token !== undefined)
}

function read(properties: unknown) {
  try {
    return decode(properties)
  } catch (error) {
    throw unread('cannot be read', error)
  }
}

/** Only the token of a link is used, so that the next page is always asked for at the same address. */
const tokenIn = (link: string): string | undefined =>
  [...(URL.parse(link)?.searchParams ?? [])].find(([name]) => name.toLowerCase() === '$skiptoken')?.[1]

const unread = (what: string, cause?: unknown) =>
  cloudFault('system', 'unknown_answer', `The response of Cost Management ${what}.`, {}, cause)

function chargeOf(row: Row, by: Dimensions): Omit<Charge, 'costs'> & { costs: Costs } {
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(textIn(row, 'usagedate')) ?? []
  const [billing, usd] = [unitsIn(row, 'cost'), unitsIn(row, 'costusd')]
  if (day === undefined || billing === undefined || usd === undefined) throw unread('has a row without a day or a cost')
  const given = Object.entries(by).map(([name, column]) => [column, textIn(row, name.toLowerCase())] as const)
  return {
    day: `${year}-${month}-${day}`,
    currency: textIn(row, 'currency'),
    columns: Object.fromEntries(given.filter(([, value]) => value !== '')),
    costs: { billing, usd },
  }
}

function textIn(row: Row, name: string): string {
  const value = row[name]
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

function unitsIn(row: Row, name: string): bigint | undefined {
  const value = row[name]
  return typeof value === 'number' || typeof value === 'string' ? toUnits(value, moneyPlaces) : undefined
}

const nothing: Costs = { billing: 0n, usd: 0n }

/**
 * Cost Management has no prices without commitments: covered use counts as if it cost without them what it costs with
 * them, so that commitments neither save nor lose.
 */
function amountsOf(
  of: keyof Costs,
  { ActualCost: actual = nothing, AmortizedCost: amortized = nothing }: Charge['costs'],
  {
    ChargeCategory: category,
    CommitmentDiscountStatus: status,
  }: Pick<BillingLine, 'ChargeCategory' | 'CommitmentDiscountStatus'>,
) {
  const [billed, effective] = [plain(actual[of], moneyPlaces), plain(amortized[of], moneyPlaces)]
  const isUse = category === 'Usage' && status !== 'Unused'
  const listed = isUse ? effective : billed
  return { BilledCost: billed, EffectiveCost: effective, ContractedCost: listed, ListCost: listed }
}

/** Undefined for a charge without costs. Its id is derived from what it was grouped by, so a repeat restates the line. */
function toLine(
  { account }: AzureSession,
  key: string,
  { day, currency, columns, costs }: Charge,
): BillingLine | undefined {
  if (Object.values(costs).every(({ billing, usd }) => billing === 0n && usd === 0n)) return undefined
  const { resourcegroupname: group, ...known } = columns
  const { line } = readAzureExport({ ...known, date: day }, undefined, { survey: new Survey(), warn: () => {} })
  return {
    ...line,
    lineId: `${day}/cost-management/${key}`,
    cloudAccountId: account.id,
    provider: 'azure',
    SubAccountId: account.externalId.toLowerCase(),
    BillingCurrency: currency || 'USD',
    ...amountsOf('billing', costs, line),
    usdCosts: amountsOf('usd', costs, line),
    ChargeDescription: `${known['metername'] ?? 'Charge'}, by Cost Management`,
    ChargePeriodStart: `${day}T00:00:00Z`,
    ChargePeriodEnd: `${addDays(day, 1)}T00:00:00Z`,
    ...(group !== undefined && { x_OtherColumns: { x_ResourceGroupName: group } }),
  }
}

/** The part of a month within the days. */
export const daysIn = (month: string, { from, to }: Pick<QueriedDays, 'from' | 'to'>) => ({
  from: from > firstOf(month) ? from : firstOf(month),
  to: to < lastOf(month) ? to : lastOf(month),
})
