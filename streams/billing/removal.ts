import { ExportId, Period } from './messages.ts'
import { t } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { text } from '#streams/text.ts'

const cloudAccountId = text({ minLength: 1, maxLength: 1024 })
const by = text({ maxLength: 256, description: 'the user or principal that removes it' })

/**
 * Command: remove one export of a bill, for one billing period or all. Refused `not_found` if the account does not know
 * the export.
 */
export const billRemoved = subject({
  name: 'billing.bill_removed',
  kind: 'actor',
  summary: 'Remove an export of a bill. The previous bill becomes current again.',
  place: (data) => data.cloudAccountId,
  once: true,
  schema: t.Object({ cloudAccountId, exportId: ExportId, period: t.Optional(Period), by }),
  examples: [{ cloudAccountId: 'acct-1', exportId: '2026-01-r7', period: '2026-01', by: 'user-1' }],
})

/** Command: remove all bills of an account, and all lines sent without an export. */
export const accountBillsRemoved = subject({
  name: 'billing.account_bills_removed',
  kind: 'actor',
  summary: 'Remove all bills of a cloud account.',
  place: (data) => data.cloudAccountId,
  once: true,
  schema: t.Object({ cloudAccountId, by }),
  examples: [{ cloudAccountId: 'acct-1', by: 'user-1' }],
})

/**
 * Continues the removal of lines sent without an export, after the given line. Lines that arrived after `sequence` in
 * the account's lane stay.
 */
export const loneLinesRemoved = subject({
  name: 'billing.lone_lines_removed',
  kind: 'actor',
  summary: 'Remove the next lines of a cloud account that were sent without an export.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({
    cloudAccountId,
    sequence: t.String({ pattern: '^\\d{1,20}$' }),
    afterDay: t.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    afterLineId: t.String(),
  }),
  examples: [{ cloudAccountId: 'acct-1', sequence: '4711', afterDay: '2026-01-15', afterLineId: '2026-01-15/i-1' }],
})

export const billRemovalMessages = [billRemoved, accountBillsRemoved, loneLinesRemoved]
