/**
 * Has days divided anew whose idle costs were not handed out: of a version that did not, or of an older copy of ClickHouse. A few at a
 * time, so that what comes meanwhile does not wait for them. Several processes may do it at once: a day has one mark.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { costDayKey, costDays } from '#analytics/rollup/cost-rollup.ts'
import type { MarkRow } from '#engine/ports.ts'
import type { Connections } from '#config/connect.ts'
import { regularly } from '#config/regularly.ts'
import { root } from '#config/root.ts'

const pace = { firstMs: 60_000, everyMs: 15 * 60_000 }
/** Days of one look, and those marked at once. */
const daysMax = 20_000
const portion = 20
/** Milliseconds between two looks at marks that are worked on. */
const againMs = 500

const idleDays = readFileSync(path.join(root, 'analytics/rollup/idle_days.sql'), 'utf8')

type Tools = Pick<Connections, 'clickhouse' | 'store' | 'installation'>

/** How many days that were. @throws once `signal` is aborted */
export async function handOutIdle({ clickhouse, store, installation }: Tools, signal: AbortSignal): Promise<number> {
  const query = { query: idleDays, query_params: { limit: daysMax }, format: 'JSONEachRow' } as const
  const found = await (await clickhouse.query(query)).json<{ org_id: string; cloud_account_id: string; day: string }>()
  const marks = found.map(({ org_id: orgId, cloud_account_id: cloudAccountId, day }) => ({
    projection: costDays.name,
    orgId,
    key: costDayKey({ cloudAccountId, day }),
  }))
  for (let at = 0; at < marks.length; at += portion) {
    if (installation.misfits.length > 0 || installation.isOutdated) return at
    await divided(store, marks.slice(at, at + portion), signal)
  }
  return marks.length
}

async function divided(store: Tools['store'], marks: readonly MarkRow[], signal: AbortSignal): Promise<void> {
  await store.markAnew(marks)
  while (await store.isMarked(marks)) await sleep(againMs, undefined, { signal })
}

/** Looks from now on until the call that comes back. A look that fails is told, and the next one goes on. */
export function handOutRegularly(c: Connections): () => void {
  const over = new AbortController()
  let isAtIt = false
  const look = async () => {
    if (isAtIt) return
    isAtIt = true
    try {
      const days = await handOutIdle(c, over.signal)
      if (days > 0) c.report.info({ days }, 'idle costs of clusters were handed out of days that lacked it')
    } catch (error) {
      if (!over.signal.aborted) c.report.warn({ err: error }, 'idle costs of clusters could not be handed out')
    } finally {
      isAtIt = false
    }
  }
  const end = regularly(() => void look(), pace)
  return () => {
    end()
    over.abort()
  }
}
