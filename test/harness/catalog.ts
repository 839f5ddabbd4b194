/** Provisioning from outside, by the messages that the edge asks with: a space, jobs in it, and the far side that they are made at. */
import { randomUUID } from 'node:crypto'
import { uuidOf } from '#engine/value/id.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { provisioningBegun, provisioningCommanded, spaceSaved, type ProvisioningVerb } from '#streams/catalog.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import type { ProvisioningJob } from '#actors/catalog/entity.ts'
import { configs } from '#test/harness/catalog-config.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { until } from '#test/harness/product.ts'
import { stepping } from '#test/harness/stepping.ts'

export interface Platform extends Fleet {
  spaceId: string
  /** The id of a job that has begun. */
  begin(kind: ProvisioningKind, fields?: { config?: object; expiresAt?: string }): Promise<string>
  command(jobId: string, verb: ProvisioningVerb): Promise<unknown>
  job(jobId: string): Promise<ProvisioningJob>
  /** Lets the clock run until a job is there. */
  become(jobId: string, ...phases: ProvisioningJob['phase'][]): Promise<ProvisioningJob>
  /** Calls that the far side was made, and that were of effect: `provision.create`. */
  made(): string[]
  ask: <T>(subject: unknown, data: T) => Promise<unknown>
}

export async function platform(): Promise<Platform> {
  const f = await fleet()
  const { asker, clouds } = { asker: f.product.get(tokens.asker), clouds: f.product.get(tokens.clouds) }
  const spaceId = uuidOf('space', f.orgId, f.accountId, 'us-east-1', '')
  const place = { provider: 'aws', region: 'us-east-1', clusterUid: null }
  const cloudAccountId = f.accountId
  await asker.ask(spaceSaved, f.orgId, {
    ...place,
    spaceId,
    cloudAccountId,
    isNew: true,
    kind: 'account_region',
    name: 'Production',
    userId: 'u-1',
  })
  const job = async (jobId: string): Promise<ProvisioningJob> => {
    const sql = 'select * from provisioning_job where org_id = $1 and id = $2'
    const { rows } = await f.connections.store.pool.query(sql, [f.orgId, jobId])
    return rows[0]
  }
  return Object.assign(f, {
    spaceId,
    job,
    ask: <T>(subject: any, data: T) => asker.ask(subject, f.orgId, data as never),
    begin: async (kind: ProvisioningKind, { config, expiresAt = null }: any = {}) => {
      const jobId = randomUUID()
      const common = { cloudAccountId, jobId, spaceId, kind, name: kind, tags: { team: 'shop' }, expiresAt }
      await asker.ask(provisioningBegun, f.orgId, {
        ...common,
        ...place,
        config: { ...configs[kind], ...config },
        userId: 'u-1',
      })
      return jobId
    },
    command: (jobId: string, verb: ProvisioningVerb) =>
      asker.ask(provisioningCommanded, f.orgId, { cloudAccountId, jobId, verb, userId: 'u-1' }),
    become: async (jobId: string, ...phases: ProvisioningJob['phase'][]) => {
      const step = stepping(f)
      await until(`${phases.join(' or ')} of a job`, async () => {
        const { phase } = await job(jobId)
        if (phases.includes(phase)) return true
        await step()
        return false
      })
      return job(jobId)
    },
    made: () =>
      clouds.simulated.calls
        .filter((one) => one.cloudAccountId === cloudAccountId && one.outcome === 'ok' && !one.repeated)
        .map(({ call }) => call as string)
        .filter((call) => call.includes('provision.') || call.includes('Database') || call.endsWith('User')),
  })
}
