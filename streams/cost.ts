import { t } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'

const fixed = { kind: 'actor', place: () => orgWide } as const

/** Sums of cost changed: of today, of this month, or of months before alone. Said at least once behind a change, and not for each. */
export const costChanged = subject({
  ...fixed,
  name: 'cost.changed',
  summary: 'Cost totals changed.',
  schema: t.Object({
    today: t.Boolean(),
    month: t.Optional(t.Boolean({ description: 'false: no change in the current month' })),
  }),
  examples: [{ today: true }, { today: false, month: false }],
})

/** Time to look at what changed of the running day. */
export const costSettled = subject({
  ...fixed,
  name: 'cost.settled',
  summary: 'Check the changed costs of the current day.',
  schema: t.Object({}),
  examples: [{}],
})

/** Verify savings against changed bills. */
export const costCounted = subject({
  ...fixed,
  name: 'cost.counted',
  summary: 'Verify savings against changed bills.',
  schema: t.Object({}),
  examples: [{}],
})

/** Command: another bill counts from now on where a payer's and an account's own have the same charges. */
export const costConsolidated = subject({
  ...fixed,
  name: 'cost.consolidated',
  summary: 'The bill that counts where two have the same charges has changed.',
  once: true,
  schema: t.Object({}),
  examples: [{}],
})

export const costMessages = [costChanged, costSettled, costCounted, costConsolidated]
