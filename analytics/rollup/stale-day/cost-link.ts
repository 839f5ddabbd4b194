/**
 * A bill line counts for its usage account: the connected account of its sub-account. This is for accounts that were
 * connected or disconnected after their lines had arrived: the days with these lines are recomputed.
 */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { recomputeFound } from './cost-type.ts'
import type { Rollup } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import type { Projection } from '#engine/actor/turn.ts'

/** Accounts that were connected or disconnected. Keys are account ids. */
export const costLinks: Projection = { name: 'cost-link' }

/** Another bill counts if two have the same charges. The key is always `all`. */
export const costOverlaps: Projection = { name: 'cost-overlap' }

const overlappedDays = readFileSync(new URL('overlapped_days.sql', import.meta.url), 'utf8')
const misplacedDays = readFileSync(new URL('misplaced_days.sql', import.meta.url), 'utf8')

/** Recomputes the days whose lines now count for another account, because of these accounts. Like `retypeCostDays`. */
export const relinkCostDays = (
  ch: ClickHouseClient,
  orgId: string,
  accounts: readonly string[],
  generation: string,
  rollup: Rollup = {},
): Promise<boolean> => recomputeFound(ch, misplacedDays, { orgId, accounts }, generation, rollup)

/** Recomputes the days with lines that are left out because another bill has them. Like `retypeCostDays`. */
export const recomputeOverlaps = (
  ch: ClickHouseClient,
  orgId: string,
  accounts: readonly string[],
  generation: string,
  rollup: Rollup = {},
): Promise<boolean> => recomputeFound(ch, overlappedDays, { orgId, accounts }, generation, rollup)
