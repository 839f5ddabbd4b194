/** What plans have to ask before and while they raise targets, without plans: the questions of ClickHouse, and the calls of the far side. */
import { averages } from '#actors/autoscaling/target/average.ts'
import { run } from '#analytics/store/query.ts'
import { pools } from '#engine/run/effect.ts'
import type { Connections } from '#config/state/connect.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'
import type { Counts } from '#streams/autoscaling.ts'
import { each } from './published.ts'

interface Target {
  orgId: string
  accountId: string
  uid: string
  /** What its plan has raised it to: asked for once more, it changes nothing. */
  scaled: Counts
}

const targetsSql = `
  select org_id as "orgId", cloud_account_id as "accountId", target_uid as uid, hold -> 'scaled' as scaled
  from autoscaler_policy where hold is not null`

/** Of every target that is raised the mean of its CPU; then a look, the change, and a look at it. As many at once as a process makes. Seconds. */
export async function bareCalls(c: Connections, product: Product): Promise<{ asking: number; calling: number }> {
  const { rows } = await c.store.pool.query<Target>(targetsSql)
  const { simulated } = product.get(tokens.clouds)
  const timed = async (work: (target: Target) => Promise<unknown>) => {
    const began = performance.now()
    await each(rows.length, (i) => work(rows[i]!), pools.act)
    return (performance.now() - began) / 1000
  }
  const averageOf = averages({
    ask: (question, params) => run(c.clickhouse, question, params),
    now: () => new Date(c.clock.now()),
  })
  const asking = await timed(({ orgId, accountId, uid }) =>
    averageOf({ orgId, cloudAccountId: accountId, targetUid: uid }),
  )
  const calling = await timed(async ({ orgId, accountId: id, uid, scaled }) => {
    const account = { id, orgId, provider: 'aws', externalId: id, name: id, regions: [], credentials: null } as const
    const resource = { resourceUid: uid, type: 'aws-asg', region: 'us-east-1' }
    await simulated.look(account, resource)
    await simulated.act(account, { id: `bare-${orgId}-${uid}`, kind: 'scale', resource, params: scaled })
    await simulated.look(account, resource)
  })
  return { asking, calling }
}
