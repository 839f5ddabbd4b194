/**
 * Recalculates days without the values that are calculated now, because they are from an older version or an older copy
 * of ClickHouse. A few at a time, so that new data is not delayed; in one process at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { stateOf } from '#actors/account/connection/link.ts'
import { shownBills } from '#actors/account/queries.ts'
import { accountState } from '#analytics/cost/account-table.ts'
import { isOfTheSame } from '#analytics/billing/bill.ts'
import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayKey } from '#analytics/rollup/day-batch.ts'
import { findOutdatedDays, type OutdatedDay } from '#analytics/rollup/stale-day/outdated-day.ts'
import { unlessElsewhere } from '#config/process/advisory-lock.ts'
import type { Connections } from '#config/state/connect.ts'
import { regularly } from '#config/process/regularly.ts'

const pace = { firstMs: 10_000, everyMs: 15 * 60_000 }
/**
 * Milliseconds until the next search after one that found nothing. Usually only a start brings such days, because this
 * version calculates all values.
 */
const quietMs = 6 * 3_600_000
/** Number of the advisory lock; used for nothing else. */
const lock = 7_402_822
/**
 * `look`: days per search. `days` and `pods`: days marked at once, and their pods; cost allocation takes about a second
 * for as many.
 */
const most = { look: 20_000, days: 20, pods: 20_000 }
/** Milliseconds between checks of the marks, and below the maximum wait: some marks are renewed all the time. */
const againMs = 500
const waitMs = 60_000

type Tools = Pick<Connections, 'shards' | 'store' | 'installation'>

/** Writes account states for accounts that earlier versions did not write. Rows written since have a higher version. */
async function noteAccounts({ shards, store }: Tools): Promise<void> {
  const found = await store.rows<Parameters<typeof stateOf>[1] & { orgId: string }>(
    `select org_id as "orgId", id, provider, external_id as "externalId", status from cloud_account
     where provider <> '' and created_at > to_timestamp(0)`,
    [],
  )
  const values = found.map((account) => ({ ...stateOf(account.orgId, account), x_Version: '1' }))
  if (values.length === 0) return
  await shards.writeAll(
    values,
    ({ org_id: orgId }) => orgId,
    async ({ client, items }) =>
      void (await client.insert({ table: accountState.name, format: 'JSONEachRow', values: items })),
  )
}

/**
 * Returns the number of days; undefined if another process does it, or the stores do not match.
 * @throws Error once `signal` is aborted
 */
export async function recomputeDays(c: Tools, signal: AbortSignal): Promise<number | undefined> {
  const { shards, store, installation } = c
  const fits = () => installation.misfits.length === 0 && !installation.isOutdated
  if (!fits()) return undefined
  return unlessElsewhere(store, lock, async (client) => {
    await noteAccounts(c)
    const found = (
      await shards.each(async (shard) =>
        shards.own(shard, await findOutdatedDays(shard.client, most.look), ({ orgId }) => orgId),
      )
    ).flat()
    // Days that would now be calculated from other bills are skipped: replacing the bill recalculates them, and the new
    // bill's lines may not be stored yet.
    const shown = await shownBills((sql, params) => store.rows(sql, params), found)
    const days = found.filter((day) => isOfTheSame(shown, day, day.bills))
    for (const some of portions(days)) {
      signal.throwIfAborted()
      if (!fits()) break
      // Fails if the connection, and with it the lock, was lost.
      await client.query('select 1')
      await recomputePortion(c, some, signal)
    }
    return days.length
  })
}

function* portions(days: readonly OutdatedDay[]): Generator<OutdatedDay[]> {
  let some: OutdatedDay[] = []
  let pods = 0
  for (const day of days) {
    if (some.length > 0 && (some.length >= most.days || pods + day.pods > most.pods)) {
      yield some
      some = []
      pods = 0
    }
    some.push(day)
    pods += day.pods
  }
  if (some.length > 0) yield some
}

async function recomputePortion({ store }: Tools, days: readonly OutdatedDay[], signal: AbortSignal): Promise<void> {
  const marks = days.map((day) => ({ projection: costDays.name, orgId: day.orgId, key: costDayKey(day) }))
  await store.markAnew(marks)
  for (let waited = 0; waited < waitMs && (await store.isMarked(marks)); waited += againMs)
    await sleep(againMs, undefined, { signal })
}

/** Runs regularly until the returned function is called. A failure is logged; the next run continues. */
export function recomputeRegularly(c: Connections): () => void {
  const over = new AbortController()
  let quietUntil = 0
  const look = async () => {
    if (performance.now() < quietUntil) return
    try {
      const days = await recomputeDays(c, over.signal)
      if (days === 0) quietUntil = performance.now() + quietMs
      else if (days !== undefined) c.report.info({ days }, 'days of an older version were recomputed')
    } catch (error) {
      if (!over.signal.aborted) c.report.warn({ err: error }, 'days of an older version could not be recomputed')
    }
  }
  const end = regularly(() => void look(), pace)
  return () => {
    end()
    over.abort()
  }
}
