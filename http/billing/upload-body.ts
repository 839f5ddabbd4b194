/** Bill uploads in responses. */
import { confirmable, confirmations, keptOf, stateOf } from '#actors/billing/upload.ts'
import { uploadStates, type BillUpload as Row, type UploadPeriod } from '#actors/billing/upload-entity.ts'
import { replacements } from '#actors/billing/upload-preview.ts'
import type { Amount } from '#actors/account/bill/bills.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { Refusals } from '#streams/billing/row/tally.ts'
import { orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import type { Services } from '#http/edge/services.ts'
import { seesAccount, type Caller } from '#http/identity/organization/caller.ts'
import { formatNames } from '#streams/billing/format/format.ts'

const Usd = t.String({ description: 'exact decimal string, US dollars' })
const Day = t.String({ description: 'YYYY-MM-DD' })
const Figures = t.Object({ lines: t.Integer(), billedUSD: Usd }, { title: 'BillFigures' })

const Period = t.Object(
  {
    period: t.String({ description: 'billing period, YYYY-MM' }),
    from: Day,
    to: Day,
    lines: t.Integer({ description: 'distinct lines' }),
    billedUSD: orNull({
      ...Usd,
      description: 'exact decimal string, US dollars; null until it is known which lines restate others',
    }),
    standing: orNull(
      t.Object(
        {
          ...Figures.properties,
          exportedAt: orNull({ ...Timestamp, description: 'null for lines from before exports were tracked' }),
          whole: t.Boolean({ description: 'false: lines of an export that was never completed' }),
        },
        {
          title: 'BillStanding',
          description: 'the current bill; after applying, the bill that was current at that time',
        },
      ),
    ),
    replaces: t.Boolean({ description: 'false if there is no current bill, or if it is newer' }),
    lessThanHalf: t.Boolean({ description: 'compared with the bill it would replace, in lines or in cost' }),
    someDays: t.Boolean({ description: 'replaces only its own days; the other days are kept' }),
    daysLost: t.Array(Day, {
      description: 'days that have lines now but none in this bill: apply it with days',
    }),
    repeats: orNull(
      t.Object(
        {
          cloudAccountID: orNull(t.String({ description: 'null if your role cannot see it' })),
          accounts: t.Integer({ description: 'sub-accounts or billing accounts that also appear in the other bill' }),
          of: t.Integer({ description: 'sub-accounts or billing accounts in this bill' }),
        },
        {
          title: 'BillRepeats',
          description:
            'if there is no current bill: another account whose bill has most of the sub-accounts or billing accounts in this one; it is probably the same bill and would be counted twice',
        },
      ),
    ),
    zerosAdded: t.Array(t.String(), {
      description: 'sub-accounts whose number has lost its leading zeros in the files, with the zeros restored',
    }),
    before: orNull(Figures),
    after: orNull(Figures),
  },
  {
    title: 'BillUploadPeriod',
    description:
      'before: the bill that it replaced or was held for; after: the current bill, or the one that would become current; null until known',
  },
)

const File = t.Object(
  {
    name: t.String(),
    bytes: t.Integer({ description: 'size as uploaded; for an entry of a zip archive, uncompressed' }),
    rows: t.Integer(),
    format: t.Enum(formatNames),
    warnings: t.Optional(
      t.Array(
        t.Object({
          code: t.String({
            description:
              'stable: file_duplicate, file_skipped, encoding_windows_1252, encoding_mixed, decimal_comma, column_twice',
          }),
          message: t.String(),
        }),
        { description: 'notes on the file as a whole; omitted if there are none' },
      ),
    ),
  },
  { title: 'BillUploadFile' },
)

const Refusal = t.Object(
  {
    code: t.String({ description: 'stable' }),
    reason: t.String({ description: 'message of the first one' }),
    count: t.Integer(),
    rows: t.Array(
      t.Object({
        file: t.String(),
        line: t.Optional(t.Integer({ description: 'line in the file, starting at 1; for Parquet, the row' })),
        element: t.Optional(t.Integer({ description: "index in the file's JSON array, starting at 1" })),
      }),
      { description: 'the first ten' },
    ),
  },
  { title: 'BillUploadRefusal' },
)

export const BillUpload = t.Object(
  {
    id: t.String({ description: 'also the ID of the export' }),
    cloudAccountID: t.String(),
    exportedAt: Timestamp,
    state: t.Enum(uploadStates, {
      description: [
        'reading: its files are being received',
        'storing: its lines are being read',
        'ready: it can be applied',
        'applying: the export is being completed, or its days are being aggregated',
        'replaced: it is the current bill in reports',
        'over: finished without effect, because the current bill is newer',
        'held: not applied, because it is less than half of the bill it would replace; confirm it',
        'incomplete: not applied, because lines are missing',
        'broken: reading was interrupted, or has shown no progress for a minute; or applying it was dead-lettered (message)',
        'discarded',
      ].join('; '),
    }),
    message: orNull(t.String({ description: 'why it is broken, or why confirming it had no effect' })),
    files: t.Array(File),
    rows: t.Integer(),
    accepted: t.Integer(),
    refusedRows: t.Integer(),
    roundedRows: t.Integer({
      description: 'accepted rows with an amount of more than 14 decimal places in US dollars; stored rounded to 14',
    }),
    refused: t.Array(Refusal, { description: 'most frequent reason first, at most 20' }),
    warnings: t.Array(Refusal, {
      description: 'values left out of accepted rows, and other warnings about them: most frequent first, at most 20',
    }),
    currencies: t.Array(
      t.Object({
        currency: t.String(),
        billed: t.String({ description: 'totals stated in the files, including restated rows' }),
      }),
    ),
    periods: t.Array(Period),
    confirm: t.Array(t.Enum(confirmable), { description: 'why applying it requires confirm; empty if it does not' }),
    createdAt: Timestamp,
    appliedAt: orNull(Timestamp),
    expiresAt: { ...Timestamp, description: 'no longer listed after this time; what it replaced stays replaced' },
  },
  {
    title: 'BillUpload',
    examples: [
      {
        id: '3d0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01',
        cloudAccountID: 'acct-1',
        exportedAt: '2026-02-02T09:00:00.000Z',
        state: 'ready',
        message: null,
        files: [{ name: 'cur-2026-01.csv.gz', bytes: 482133, rows: 20418, format: 'aws-cur' }],
        rows: 20418,
        accepted: 20418,
        refusedRows: 0,
        roundedRows: 0,
        refused: [],
        warnings: [],
        currencies: [{ currency: 'USD', billed: '12480.55' }],
        periods: [
          {
            period: '2026-01',
            from: '2026-01-01',
            to: '2026-01-31',
            lines: 20418,
            billedUSD: '12480.55',
            standing: null,
            replaces: false,
            lessThanHalf: false,
            someDays: false,
            daysLost: [],
            repeats: null,
            zerosAdded: [],
            before: null,
            after: null,
          },
        ],
        confirm: [],
        createdAt: '2026-02-02T09:00:00.000Z',
        appliedAt: null,
        expiresAt: '2026-03-04T09:00:00.000Z',
      },
    ],
  },
)
export type BillUpload = Static<typeof BillUpload>

const figures = (amount: Amount | null | undefined): Static<typeof Figures> | null =>
  amount ? { lines: amount.lines, billedUSD: amount.billed } : null

function periodOf(
  { period, from, to, lines, billed, someDays, accounts, replacement }: UploadPeriod,
  row: Row,
  sees: (cloudAccountId: string) => boolean,
): Static<typeof Period> {
  const { standing, replaces, lessThanHalf, daysLost, repeats } = replacement!
  const outcome = row.outcome.find((one) => one.period === period)
  return {
    period,
    from,
    to,
    lines,
    billedUSD: billed,
    standing: standing && {
      lines: standing.lines,
      billedUSD: standing.billed,
      exportedAt: standing.exportedAt,
      whole: standing.whole,
    },
    replaces,
    lessThanHalf,
    someDays: someDays === true,
    daysLost: daysLost ?? [],
    repeats: repeats
      ? {
          cloudAccountID: sees(repeats.cloudAccountId) ? repeats.cloudAccountId : null,
          accounts: repeats.names,
          of: repeats.of,
        }
      : null,
    zerosAdded: accounts?.zerosAdded ?? [],
    before: figures(outcome?.before),
    after: figures(outcome?.after),
  }
}

const shownReason = ({ code, message, rows, first }: Refusals): Static<typeof Refusal> => ({
  code,
  reason: message,
  count: rows,
  rows: first.map((place) =>
    'row' in place ? { file: place.file, line: place.row } : { file: place.file, element: place.element },
  ),
})

/** The current preview; for an applied upload, the one at that time. */
export async function shownUpload(
  row: Row,
  { reportScope }: Pick<Caller, 'reportScope'>,
  { em, bills, now }: Services,
): Promise<BillUpload> {
  const isApplied = row.appliedAt instanceof Date
  const found = isApplied ? undefined : await replacements(row, await keptOf(em, row), bills)
  const periods = row.periods.map((one) => ({ ...one, replacement: found?.get(one.period) ?? one.replacement! }))
  return {
    id: row.id,
    cloudAccountID: row.cloudAccountId,
    exportedAt: row.exportedAt.toISOString(),
    state: stateOf(row, now()),
    message: row.message ?? null,
    files: row.files,
    rows: row.rows,
    accepted: row.accepted,
    refusedRows: row.refused,
    roundedRows: row.rounded,
    refused: row.reasons.map(shownReason),
    warnings: row.warnings.map(shownReason),
    currencies: Object.entries(row.billed)
      .map(([currency, billed]) => ({ currency, billed }))
      .toSorted((a, b) => (a.currency < b.currency ? -1 : 1)),
    periods: periods.map((one) => periodOf(one, row, (id) => seesAccount(reportScope, id))),
    confirm: isApplied && row.state !== 'held' ? [] : confirmations({ refused: row.refused, periods }),
    createdAt: row.createdAt.toISOString(),
    appliedAt: timestamp(row.appliedAt),
    expiresAt: row.expiresAt.toISOString(),
  }
}
