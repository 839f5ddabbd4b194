import { t } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { Period } from './messages.ts'
import { BillWarning, warningsMax } from '#streams/billing/warning.ts'
import { providers } from '#streams/names.ts'
import { text } from '#streams/text.ts'

const accountIdOf = (data: { cloudAccountId: string }): string => data.cloudAccountId
const ofAccount = { kind: 'actor', place: accountIdOf } as const

const run = {
  cloudAccountId: text({ minLength: 1, maxLength: 1024 }),
  runId: text({ minLength: 1, maxLength: 512 }),
}
const at = t.String({ format: 'date-time' })
const day = t.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const read = {
  lines: t.Integer({ minimum: 0 }),
  at,
  /** Message for people about rejected parts of the bills; missing if nothing was rejected. */
  message: t.Optional(text({ maxLength: 8192 })),
  /** The billing periods that were read. */
  periods: t.Optional(t.Array(Period, { maxItems: 100 })),
  /** Newest period first. */
  warnings: t.Optional(t.Array(BillWarning, { maxItems: warningsMax })),
}

/**
 * Command: read the bills of an account. With `check`, first tests whether they are readable; with `history`, reads all
 * kept months again, because their location has changed.
 */
export const billingSyncRequested = subject({
  ...ofAccount,
  name: 'billing.sync_requested',
  summary: 'Sync the bills of a cloud account.',
  once: true,
  schema: t.Object({ ...run, provider: t.Enum(providers), check: t.Boolean(), history: t.Optional(t.Boolean()) }),
  examples: [{ cloudAccountId: 'acct-1', provider: 'aws', runId: 'run-1', check: false }],
})

/** A month of history was read; its lines were sent before this message. `through` is the newest day read. */
export const billingMonthSynced = subject({
  ...ofAccount,
  name: 'billing.month_synced',
  summary: 'One month of the billing history of an account was read.',
  schema: t.Object({ ...run, month: t.String({ pattern: '^\\d{4}-\\d{2}$' }), through: day, ...read }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      runId: 'run-1',
      month: '2026-01',
      through: '2026-01-14',
      lines: 1400,
      at: '2026-01-15T10:00:00Z',
      periods: ['2026-01'],
      warnings: [
        {
          period: '2026-01',
          code: 'encoding_windows_1252',
          message: 'The text is not valid UTF-8. It was read as Windows-1252.',
          count: 1,
          first: [{ file: 'daily/costs.csv' }],
        },
      ],
    },
  ],
})

/** The newest days were read; their lines were sent before this message. */
export const billingSynced = subject({
  ...ofAccount,
  name: 'billing.synced',
  summary: 'The newest days of the bills of an account were read.',
  schema: t.Object({ ...run, through: day, ...read }),
  examples: [
    { cloudAccountId: 'acct-1', runId: 'run-1', through: '2026-01-14', lines: 180, at: '2026-01-15T02:00:09Z' },
  ],
})

const exportStates = ['replaced', 'held', 'incomplete', 'removed'] as const

/** The result of an export of the account. `message` is for people, empty if there is nothing to do. */
export const billingExportTold = subject({
  ...ofAccount,
  name: 'billing.export_told',
  summary: 'The result of an export of a bill.',
  schema: t.Object({
    cloudAccountId: run.cloudAccountId,
    exportId: t.String(),
    state: t.Enum(exportStates),
    message: text({ maxLength: 2000 }),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      exportId: '2026-01-r7',
      state: 'held',
      message: 'Bill for 2026-01, exported 2026-01-16T03:00:00Z, is less than half of the bill it would replace.',
    },
  ],
})

/** A run has failed for good; `message` is for people. */
export const billingSyncFailed = subject({
  ...ofAccount,
  name: 'billing.sync_failed',
  summary: 'The bills of an account could not be read.',
  schema: t.Object({ ...run, message: text({ maxLength: 8192 }), at }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      runId: 'run-1',
      message: 'The export does not exist.',
      at: '2026-01-15T02:00:09Z',
    },
  ],
})

export const billingSyncMessages = [
  billingSyncRequested,
  billingMonthSynced,
  billingSynced,
  billingSyncFailed,
  billingExportTold,
]
