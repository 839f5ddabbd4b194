/** The nightly sync of an organization: requests a sync of every account. A failure of one does not delay others. */
import type { JobWork, Tools } from '#actors/tools.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import type { PublishAck } from '#engine/actor/ports.ts'
import { billingSyncRequested } from '#streams/billing/sync.ts'
import type { Provider } from '#streams/names.ts'

type SyncJobTools = Pick<Tools, 'reads' | 'publisher' | 'clock'>

/** Milliseconds for which a person's run of the job waits for the outcome. Below: the interval of checks. */
const waitMaxMs = 600_000
const lookMs = 100

/**
 * A scheduled run only sends requests. At two in the morning all organizations have one; if these waited, they would
 * occupy the places of the syncs they wait for.
 */
export function billingSyncJob(tools: SyncJobTools): JobWork {
  return async ({ isDue, runId }, call) => {
    const accounts = await tools.reads.rows<{ id: string; provider: Provider }>(
      `select id, provider from cloud_account
       where org_id = $1 and status not in ('disabled', 'deleted') and provider not in ('', 'other') order by id`,
      [call.orgId],
    )
    const sent: PublishAck[] = []
    for (const { id: cloudAccountId, provider } of accounts) {
      const published = await tools.publisher.publish({
        subject: billingSyncRequested,
        orgId: call.orgId,
        data: { cloudAccountId, provider, runId, check: false },
        id: `${call.key}/${cloudAccountId}`,
      })
      sent.push(published)
    }
    if (!isDue) await over(tools, sent, call)
  }
}

/** Counts requests that wait in their lanes, runs in progress, and days that wait to be recomputed. */
const leftSql = `
  select (select count(*) from lane l join unnest($2::int[], $3::bigint[]) as w(lane, seq) on w.lane = l.lane and l.cursor < w.seq)
    + (select count(*) from parked where org_id = $1)
    + (select count(*) from billing_sync where org_id = $1 and run_id <> '')
    + (select count(*) from mark where org_id = $1) as left`

async function over({ reads, clock }: SyncJobTools, sent: readonly PublishAck[], call: EffectCall): Promise<void> {
  const lanes = [call.orgId, sent.map(({ lane }) => lane), sent.map(({ seq }) => seq)]
  for (let waitedMs = 0; waitedMs < waitMaxMs && !call.signal.aborted; waitedMs += lookMs) {
    const [row] = await reads.rows<{ left: string }>(leftSql, lanes)
    if (Number(row?.left ?? 0) === 0) return
    await clock.sleep(lookMs, call.signal)
  }
}
