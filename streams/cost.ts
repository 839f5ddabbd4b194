/** Messages about changed sums of costs, and the choice between a payer's bill and an account's own. */
import { t } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'

const ofOrg = { kind: 'actor', place: () => orgWide } as const

/**
 * Sums of cost changed: for today, this month, or only earlier months. Sent at least once after changes, not once per
 * change.
 */
export const costChanged = subject({
  ...ofOrg,
  name: 'cost.changed',
  summary: 'Cost totals changed.',
  schema: t.Object({
    today: t.Boolean(),
    month: t.Optional(t.Boolean({ description: 'false: no change in the current month' })),
  }),
  examples: [{ today: true }, { today: false, month: false }],
})

/** Check what changed in the current day. */
export const costSettled = subject({
  ...ofOrg,
  name: 'cost.settled',
  summary: 'Check the changed costs of the current day.',
  schema: t.Object({}),
  examples: [{}],
})

/** Verify savings against changed bills. */
export const costCounted = subject({
  ...ofOrg,
  name: 'cost.counted',
  summary: 'Verify savings against changed bills.',
  schema: t.Object({}),
  examples: [{}],
})

/** Command: from now on, count the other bill if a payer's and an account's own bill have the same charges. */
export const costConsolidated = subject({
  ...ofOrg,
  name: 'cost.consolidated',
  summary: 'The bill that counts where two have the same charges has changed.',
  once: true,
  schema: t.Object({}),
  examples: [{}],
})

export const costMessages = [costChanged, costSettled, costCounted, costConsolidated]
