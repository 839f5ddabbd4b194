import { t, type Static, type TSchema } from '#engine/schema.ts'
import { subject } from '#engine/subject.ts'
import {
  focusJson,
  focusMaps,
  focusMoney,
  focusPrices,
  focusQuantities,
  focusText,
  focusTimes,
} from '#streams/focus.ts'
import { text } from '#streams/resource.ts'

export const purchaseTypes = ['on_demand', 'reserved', 'spot', 'savings_plan'] as const
export type PurchaseType = (typeof purchaseTypes)[number]

/** A number, or its text where a binary float would lose digits; plain or scientific notation. */
const Amount = t.Union([t.Number(), t.String({ maxLength: 64 })])
const Day = t.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const orNull = <S extends TSchema>(schema: S) => t.Optional(t.Union([schema, t.Null()]))
const each = <N extends string, S extends TSchema>(names: readonly N[], schema: S) =>
  Object.fromEntries(names.map((name) => [name, schema])) as { [K in N]: S }

/**
 * One row of a bill. The short forms are for producers that know little; every FOCUS column (1.0 to 1.4) may stand beside
 * or instead of them under its own name, and wins. Costs are in `BillingCurrency` (default USD), `costUSD` in US dollars.
 */
export const BillingLine = t.Object({
  lineId: text({
    minLength: 1,
    maxLength: 512,
    description: 'the same id again replaces the line, the highest exportedAt wins',
  }),
  cloudAccountId: text({ minLength: 1, maxLength: 1024 }),
  provider: t.Optional(
    text({ description: 'aws, gcp or azure; needed where no FOCUS provider column names one of them' }),
  ),
  resourceUid: t.Optional(text()),
  serviceName: t.Optional(text()),
  resourceType: t.Optional(text()),
  region: t.Optional(text()),
  usageDate: t.Optional(Day),
  purchaseType: t.Optional(t.Enum(purchaseTypes)),
  usageHours: t.Optional(t.Number({ minimum: 0, maximum: 1e9 })),
  hourlyRateUSD: t.Optional(t.Number({ minimum: 0, maximum: 1e12 })),
  costUSD: t.Optional(Amount),
  /** US dollars for one unit of BillingCurrency on the day of the line; needed unless the currency is USD. */
  usdRate: t.Optional(Amount),
  source: t.Optional(t.Enum(['estimate', 'actual'])),
  exportedAt: t.Optional(t.String({ format: 'date-time' })),
  ...each(focusMoney, orNull(Amount)),
  ...each(focusPrices, orNull(Amount)),
  ...each(focusQuantities, orNull(Amount)),
  ...each(focusTimes, orNull(t.String({ maxLength: 64 }))),
  ...each(focusMaps, orNull(t.Union([t.Record(t.String(), t.Unknown()), t.String({ maxLength: 65536 })]))),
  ...each(focusJson, orNull(t.Unknown())),
  ...each(
    [...focusText, 'ProviderName', 'PublisherName', 'InvoiceIssuer', 'Region'] as const,
    orNull(text({ maxLength: 8192 })),
  ),
})
export type BillingLine = Static<typeof BillingLine>

/** A line of a bill, or its restatement. Estimates of a (account, day, resource or service) are ignored once an actual line exists for it. */
export const billingLine = subject({
  name: 'billing.line',
  kind: 'billing',
  summary: 'One line of a bill; the same lineId again replaces it.',
  place: (data) => data.cloudAccountId,
  schema: BillingLine,
  examples: [
    {
      lineId: '2026-01-15/i-0a1b2c3d4e5f60718/run',
      cloudAccountId: 'acct-1',
      provider: 'aws',
      resourceUid: 'i-0a1b2c3d4e5f60718',
      serviceName: 'Amazon Elastic Compute Cloud',
      resourceType: 'aws-ec2',
      region: 'us-east-1',
      usageDate: '2026-01-15',
      purchaseType: 'on_demand',
      usageHours: 24,
      hourlyRateUSD: 0.096,
      costUSD: 2.304,
      source: 'actual',
      exportedAt: '2026-01-16T03:00:00Z',
    },
    {
      lineId: 'G95FST5FTYV3JSRX/2024-09-18T22',
      cloudAccountId: 'acct-1',
      BilledCost: '0.00000080000',
      EffectiveCost: '0',
      BillingCurrency: 'USD',
      ChargePeriodStart: '2024-09-18T22:00:00Z',
      ChargePeriodEnd: '2024-09-18T23:00:00Z',
      ChargeCategory: 'Usage',
      ServiceName: 'Amazon Simple Queue Service',
      ServiceProviderName: 'AWS',
      RegionId: 'us-west-2',
      Tags: { application: 'orders' },
      exportedAt: '2024-10-01T00:00:00Z',
    },
  ],
})

/** The provider has finished a day of an account: nothing more is expected, though a late line is still taken. */
export const billingDayClosed = subject({
  name: 'billing.day_closed',
  kind: 'billing',
  summary: 'All lines of a day of an account have been sent.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: text({ minLength: 1, maxLength: 1024 }), date: Day }),
  examples: [{ cloudAccountId: 'acct-1', date: '2026-01-15' }],
})
