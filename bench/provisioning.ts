/**
 * Provisioning jobs asked for through the streams as the edge asks, all at once: how many calls were made for each step that
 * calls a cloud (1.0 is all there is to make), and how long the whole takes beside the same calls made to the same cloud without
 * jobs, one after the other within each. Each job is a registry, three steps without a wait.
 * Usage: npm run -s bench -- provisioning [--jobs 500] [--orgs 10] [--asking 64]
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { spaceIdOf } from '#actors/catalog/job/advance.ts'
import { uuidOf } from '#engine/value/id.ts'
import { accountConnected } from '#streams/account/messages.ts'
import { provisioningBegun, spaceSaved } from '#streams/catalog.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { stepsOf } from '#streams/cloud/provision.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { figure, goal, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '500' },
    orgs: { type: 'string', default: '10' },
    asking: { type: 'string', default: '64' },
  },
})
const [count, orgs, asking] = [Number(values.jobs), Number(values.orgs), Number(values.asking)]
const steps = stepsOf.registry
const place = { provider: 'aws', region: 'us-east-1', clusterUid: null } as const
const config = { name: 'images', immutableTags: true }

const set = await stage({ env: { LOG_LEVEL: 'silent', INGEST_MESSAGES_PER_MINUTE: '0' } })
const { connections: c, product, end } = await set.product()
product.get(tokens.engine).start()
const asker = product.get(tokens.asker)
const { simulated } = product.get(tokens.clouds)

const accounts = Array.from({ length: orgs }, (_, i) => ({ orgId: `bench-${i}`, account: `acct-${i}` }))
await Promise.all(accounts.map(connect))
const bare = await withoutJobs()
const whole = await withJobs()
const calls = simulated.calls.filter(
  ({ call, cloudAccountId }) => call.startsWith('provision.') && cloudAccountId.startsWith('acct-'),
)
say(`${figure(count)} jobs of ${steps.length} steps in ${orgs} organizations, ${asking} asking`)
say(
  `  ${figure(whole.seconds)} s, ${figure(count / whole.seconds)} jobs a second; to the end of a job ${spread(whole.took)} ms`,
)
say(`  the same calls without jobs: ${figure(bare)} s; ratio ${figure(bare / whole.seconds)}`)
goal('PROV', 'calls made, of the steps', calls.length / (count * steps.length), { min: 1, max: 1 })
await end()
await set.close()
process.exit(0)

async function connect({ orgId, account }: (typeof accounts)[number]): Promise<void> {
  const fields = {
    provider: 'aws' as const,
    externalId: `bench-${account}`,
    credentials: null,
    regions: [],
    billingExport: null,
  }
  await asker.ask(accountConnected, orgId, { id: account, name: account, ...fields })
  const space = { spaceId: spaceIdOf(orgId, account, place.region, null), cloudAccountId: account, ...place }
  await asker.ask(spaceSaved, orgId, { ...space, isNew: true, kind: 'account_region', name: 'Bench', userId: 'u-1' })
}

/** As many calls as there may be of the engine's at once. */
async function withoutJobs(): Promise<number> {
  const account: CloudAccount = {
    id: 'bare',
    orgId: 'bench-bare',
    provider: 'aws',
    externalId: 'bench-bare',
    name: 'bare',
    regions: [],
    credentials: null,
  }
  let next = 0
  const make = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      const jobId = uuidOf('bare', String(i))
      for (const step of steps)
        await simulated.provision(account, {
          jobId,
          kind: 'registry',
          step,
          ...place,
          config,
          tags: {},
          outputs: {},
          token: uuidOf('provision', jobId, step),
        })
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: 64 }, make))
  return (performance.now() - began) / 1000
}

async function withJobs(): Promise<{ seconds: number; took: number[] }> {
  const [askedAt, readyAt] = [new Map<string, number>(), new Map<string, number>()]
  const ids = Array.from({ length: count }, () => randomUUID())
  let next = 0
  const ask = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      const { orgId, account: cloudAccountId } = accounts[i % orgs]!
      const of = { cloudAccountId, jobId: ids[i]!, spaceId: spaceIdOf(orgId, cloudAccountId, place.region, null) }
      const what = { kind: 'registry' as const, name: 'images', config, tags: {}, expiresAt: null, userId: 'u-1' }
      askedAt.set(ids[i]!, performance.now())
      await asker.ask(provisioningBegun, orgId, { ...of, ...place, ...what })
    }
  }
  const began = performance.now()
  const asked = Promise.all(Array.from({ length: asking }, ask))
  while (readyAt.size < count) {
    const { rows } = await c.store.pool.query<{ id: string }>(`select id from provisioning_job where phase = 'ready'`)
    for (const { id } of rows) if (!readyAt.has(id)) readyAt.set(id, performance.now())
    await c.clock.sleep(50)
  }
  const seconds = (performance.now() - began) / 1000
  await asked
  return { seconds, took: ids.map((id) => readyAt.get(id)! - askedAt.get(id)!) }
}

function spread(ms: readonly number[]): string {
  const [p50, p99] = [0.5, 0.99].map((share) => figure(quantile(ms, share))) as [string, string]
  return `p50 ${p50}, p99 ${p99}`
}
