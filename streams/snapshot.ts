import { t } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'

const usd = t.String({ pattern: '^-?\\d{1,24}(\\.\\d{1,14})?$', description: 'US dollars, exact' })

/** A month's totals as they are at its closing. Of several for a month the first one counts. */
export const snapshotTaken = subject({
  name: 'snapshot.taken',
  kind: 'actor',
  summary: 'The totals of a month were recorded, which closes the month.',
  place: () => orgWide,
  schema: t.Object({
    period: t.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$', description: 'the month, UTC' }),
    totalCostUSD: usd,
    totalSavingsUSD: usd,
    resourceCount: t.Integer({ minimum: 0 }),
  }),
  examples: [{ period: '2026-01', totalCostUSD: '310.00', totalSavingsUSD: '12.40', resourceCount: 3 }],
})

export const snapshotMessages = [snapshotTaken]
