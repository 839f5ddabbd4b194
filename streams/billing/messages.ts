/** Messages of bills: lines, the end of an export, and days that the provider has closed. */
import type { HeldKind } from '#engine/scan/held-values.ts'
import { scanner } from '#engine/scan/fields.ts'
import { t, type Static, type TSchema } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import {
  focusJson,
  focusMaps,
  focusMoney,
  focusPrices,
  focusQuantities,
  focusText,
  focusTimes,
  focusUnread,
} from '#streams/focus-columns.ts'
import { text } from '#streams/text.ts'

export const purchaseTypes = ['on_demand', 'reserved', 'spot', 'savings_plan'] as const
export type PurchaseType = (typeof purchaseTypes)[number]

/** A number, or text if a binary float would lose digits; plain or scientific notation. */
const Amount = t.Union([t.Number(), t.String({ maxLength: 64 })])
const Day = t.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
export const Period = t.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' })
export const ExportId = t.String({ pattern: '^[!-~]{1,64}$' })
const orNull = <S extends TSchema>(schema: S) => t.Optional(t.Union([schema, t.Null()]))
const each = <N extends string, S extends TSchema>(names: readonly N[], schema: S) =>
  Object.fromEntries(names.map((name) => [name, schema])) as { [K in N]: S }

/** Costs that bills in another currency may also contain in US dollars. */
export const ownCosts = ['BilledCost', 'EffectiveCost', 'ContractedCost', 'ListCost'] as const

/**
 * One row of a bill. The short forms are for simple producers. Every FOCUS column (1.0 to 1.4) may be sent with or
 * instead of them under its own name, and takes precedence. Costs are in `BillingCurrency` (default USD), `costUSD` in
 * US dollars.
 */
export const BillingLine = t.Object({
  lineId: text({
    minLength: 1,
    maxLength: 512,
    description:
      'sending the same ID again replaces the line, and the latest exportedAt wins; in an export, a line is identified by (billing period, day, lineId)',
  }),
  cloudAccountId: text({ minLength: 1, maxLength: 1024 }),
  provider: t.Optional(
    text({ description: 'aws, gcp, azure or other; required when no FOCUS provider column names a provider' }),
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
  usdRate: t.Optional({
    ...Amount,
    description:
      'US dollars for one unit of BillingCurrency on the day of the line; required unless the currency is USD or the bill contains its own rate or US dollar amounts',
  }),
  perUsd: t.Optional({
    ...Amount,
    description: 'units of BillingCurrency for one US dollar, from the bill; takes precedence over usdRate',
  }),
  usdCosts: t.Optional(
    t.Object(each(ownCosts, t.Optional(Amount)), {
      description: 'costs in US dollars, from the bill; they take precedence over rates',
    }),
  ),
  source: t.Optional(t.Enum(['estimate', 'actual'])),
  exportedAt: t.Optional(t.String({ format: 'date-time', description: 'required with exportId' })),
  exportId: t.Optional({
    ...ExportId,
    description:
      'the export that contains this line; the line counts while that export is the current bill of its billing period',
  }),
  billingPeriod: t.Optional({
    ...Period,
    description: 'for a line of an export; default: the UTC month of BillingPeriodStart, otherwise of the day',
  }),
  hiddenUntilEnd: t.Optional(
    t.Boolean({
      description:
        'for a line of an export: true counts it only after the export has ended; otherwise lines of the oldest export count immediately if there is no current bill',
    }),
  ),
  ...each(focusMoney, orNull(Amount)),
  ...each(focusPrices, orNull(Amount)),
  ...each(focusQuantities, orNull(Amount)),
  ...each(focusTimes, orNull(t.String({ maxLength: 64 }))),
  ...each(focusMaps, orNull(t.Union([t.Record(t.String(), t.Unknown()), t.String({ maxLength: 65536 })]))),
  x_OtherColumns: orNull(
    t.Record(t.String(), t.Unknown(), {
      description: 'columns of the bill that its format does not have, by name; shown on receipts and in FOCUS exports',
    }),
  ),
  ...each(focusJson, orNull(t.Unknown())),
  ...each(
    [...focusText, 'ProviderName', 'PublisherName', 'InvoiceIssuer', 'Region'] as const,
    orNull(text({ maxLength: 8192 })),
  ),
})
export type BillingLine = Static<typeof BillingLine>

/** Columns of the fact table that no turn reads. JSON columns are held as the text received, if they are text. */
const heldColumns = {
  ...withKind(focusUnread, 'text'),
  ...withKind([...focusMoney, ...focusPrices, ...focusQuantities, 'costUSD'], 'decimal'),
  ...withKind([...focusMaps, 'x_OtherColumns'], 'map'),
}

function withKind(names: readonly string[], kind: HeldKind): Record<string, HeldKind> {
  return Object.fromEntries(names.map((name) => [name, kind]))
}

/**
 * A bill line, or its restatement. Estimates for an (account, day, resource or service) are ignored once an actual line
 * exists for it.
 */
export const billingLine = subject({
  name: 'billing.line',
  kind: 'billing',
  summary: 'One line of a bill. Sending the same lineId again replaces it.',
  place: (data) => data.cloudAccountId,
  schema: BillingLine,
  scan: scanner(BillingLine, { held: heldColumns, fresh: ['lineId'] }),
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

/** Maximum parts of one export, and maximum billing periods of one. */
export const partsMax = 100
export const periodsMax = 36
/** Files of a part by which a file of another part is recognized. */
export const contentsMax = 32

/**
 * The end of an export, or of a part of it. Once all its lines have arrived, it replaces the lines of older exports in
 * its billing periods; before that it changes nothing. `lines` is the number of distinct line ids sent per (period,
 * day).
 */
export const billingExportEnded = subject({
  name: 'billing.export_ended',
  kind: 'billing',
  summary: 'All lines of an export, or of a part of it, have been sent.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({
    cloudAccountId: text({ minLength: 1, maxLength: 1024 }),
    exportId: ExportId,
    exportedAt: t.String({ format: 'date-time', description: 'same as on its lines; the latest export wins' }),
    periods: t.Array(t.Object({ period: Period, lines: t.Integer({ minimum: 0, maximum: 1e12 }) }), {
      minItems: 1,
      maxItems: periodsMax,
    }),
    part: t.Optional(
      t.Object({
        index: t.Integer({ minimum: 1, maximum: partsMax }),
        of: t.Integer({ minimum: 1, maximum: partsMax }),
        contents: t.Optional(
          t.Array(text({ minLength: 1, maxLength: 64 }), {
            maxItems: contentsMax,
            description: 'hashes of the contents of its files: a sender of another part leaves out files that it has',
          }),
        ),
      }),
    ),
    someDays: t.Optional(
      t.Boolean({
        description:
          'true: the export covers only some days of its billing periods; it replaces the days from its first to its last line and keeps all other days',
      }),
    ),
    confirmed: t.Optional(
      t.Boolean({
        description: 'true: apply it even if it is less than half of the bill it replaces, or has no lines',
      }),
    ),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      exportId: '2026-01-r7',
      exportedAt: '2026-01-16T03:00:00Z',
      periods: [{ period: '2026-01', lines: 4 }],
    },
    {
      cloudAccountId: 'acct-1',
      exportId: '2026-01-r8',
      exportedAt: '2026-01-17T03:00:00Z',
      periods: [
        { period: '2026-01', lines: 2 },
        { period: '2025-12', lines: 1 },
      ],
      part: { index: 2, of: 3 },
      confirmed: true,
    },
  ],
})

/** Check again whether the open exports of an account are complete. */
export const billingExportChecked = subject({
  name: 'billing.export_checked',
  kind: 'actor',
  summary: 'Check whether open exports of an account are complete.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: text({ minLength: 1, maxLength: 1024 }) }),
  examples: [{ cloudAccountId: 'acct-1' }],
})

/** The provider has finished a day of an account: no more lines are expected, but a late line is still accepted. */
export const billingDayClosed = subject({
  name: 'billing.day_closed',
  kind: 'billing',
  summary: 'All lines of a day of an account have been sent.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: text({ minLength: 1, maxLength: 1024 }), date: Day }),
  examples: [{ cloudAccountId: 'acct-1', date: '2026-01-15' }],
})

export const billingMessages = [billingLine, billingDayClosed, billingExportEnded, billingExportChecked]
