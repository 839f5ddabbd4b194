/**
 * A line of a bill counts for its usage account: the connected account that its sub-account is. This is for accounts that were connected,
 * or disconnected, after their lines had come: the days that name them are worked out again.
 */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { recomputeFound } from './cost-type.ts'
import type { Rollup } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import type { Projection } from '#engine/actor/turn.ts'

/** Accounts that were connected or disconnected. Keys are account ids. */
export const costLinks: Projection = { name: 'cost-link' }

/** Another bill counts where two have the same charges. The key is always `all`. */
export const costOverlaps: Projection = { name: 'cost-overlap' }

const overlappedDays = readFileSync(new URL('overlapped_days.sql', import.meta.url), 'utf8')
const misplacedDays = readFileSync(new URL('misplaced_days.sql', import.meta.url), 'utf8')

/** Works out anew the days whose lines count for another account now, because of these accounts. As `retypeCostDays`. */
export const relinkCostDays = (
  ch: ClickHouseClient,
  orgId: string,
  accounts: readonly string[],
  generation: string,
  rollup: Rollup = {},
): Promise<boolean> => recomputeFound(ch, misplacedDays, { orgId, accounts }, generation, rollup)

/** Works out anew the days of which lines are left out because another bill has them. As `retypeCostDays`. */
export const recomputeOverlaps = (
  ch: ClickHouseClient,
  orgId: string,
  accounts: readonly string[],
  generation: string,
  rollup: Rollup = {},
): Promise<boolean> => recomputeFound(ch, overlappedDays, { orgId, accounts }, generation, rollup)
