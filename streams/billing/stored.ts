/** Lines of an export that their sender has stored itself, and announces to their account by the thousand. */
import { t } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { text } from '#streams/text.ts'
import { ExportId, Period } from './messages.ts'

/** Maximum billing periods, and days of each, in one message. */
export const storedPeriodsMax = 36
export const storedDaysMax = 400

export const billLinesStored = subject({
  name: 'billing.lines_stored',
  kind: 'actor',
  summary: 'Lines of an export are stored. They count as if each had been sent on its own.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({
    cloudAccountId: text({ minLength: 1, maxLength: 1024 }),
    exportId: ExportId,
    exportedAt: t.String({ format: 'date-time' }),
    provider: text({ maxLength: 128, description: 'of the first line' }),
    hiddenUntilEnd: t.Optional(t.Boolean({ description: 'as on lines' })),
    block: t.Object(
      {
        index: t.Integer({ minimum: 1, description: 'number of the block in its export' }),
        rows: t.Integer({ minimum: 1 }),
        hash: t.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of its bytes' }),
      },
      { description: 'what was stored: a block that is stored again replaces itself' },
    ),
    periods: t.Array(
      t.Object({
        period: Period,
        lines: t.Integer({ minimum: 0, description: '0 where earlier messages of the block have counted them' }),
        days: t.Array(t.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), { minItems: 1, maxItems: storedDaysMax }),
      }),
      { minItems: 1, maxItems: storedPeriodsMax },
    ),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      exportId: '2026-01-r7',
      exportedAt: '2026-01-16T03:00:00Z',
      provider: 'aws',
      hiddenUntilEnd: true,
      block: { index: 1, rows: 4, hash: '0'.repeat(64) },
      periods: [{ period: '2026-01', lines: 4, days: ['2026-01-14', '2026-01-15'] }],
    },
  ],
})
