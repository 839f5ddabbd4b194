import { t } from '#engine/schema.ts'
import { orgWide, subject } from '#engine/subject.ts'

const fixed = { kind: 'actor', place: () => orgWide } as const

/** Sums of cost changed: of today, of this month, or of months before alone. Said at least once behind a change, and not for each. */
export const costChanged = subject({
  ...fixed,
  name: 'cost.changed',
  summary: 'Sums of cost changed.',
  schema: t.Object({ today: t.Boolean(), month: t.Optional(t.Boolean({ description: 'false: none of this month' })) }),
  examples: [{ today: true }, { today: false, month: false }],
})

/** Time to look at what changed of the running day. */
export const costSettled = subject({
  ...fixed,
  name: 'cost.settled',
  summary: 'Time to look at changed costs of the running day.',
  schema: t.Object({}),
  examples: [{}],
})

/** Time to hold savings to changed bills. */
export const costCounted = subject({
  ...fixed,
  name: 'cost.counted',
  summary: 'Time to hold savings to changed bills.',
  schema: t.Object({}),
  examples: [{}],
})

/** Command: another bill counts from now on where a payer's and an account's own have the same charges. */
export const costConsolidated = subject({
  ...fixed,
  name: 'cost.consolidated',
  summary: 'Another bill counts where two have the same charges.',
  once: true,
  schema: t.Object({}),
  examples: [{}],
})

export const costMessages = [costChanged, costSettled, costCounted, costConsolidated]
