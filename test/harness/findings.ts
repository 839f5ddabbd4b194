/** An organization with findings of several kinds at a connected account of the simulated cloud, and people who may approve. */
import { expect } from 'chai'
import { dayMs } from '#engine/value/day.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered, type ResourceStatus } from '#streams/resource/messages.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { testProduct, until, type Answer } from '#test/harness/product.ts'
import { tokens } from '#config/wiring/tokens.ts'

export interface Findings extends Fleet {
  owner: Founder
  admin: Founder
  viewer: Founder
  editor: Founder
  /** An idle machine that RC-1001 would stop; the id of its recommendation. */
  idle(uid: string, status?: ResourceStatus): Promise<string>
  /** A machine of 8 cores that uses a fifth of them, which RC-1101 would make smaller. */
  oversized(uid: string): Promise<string>
  /** The id of what a rule found. */
  finding(uid: string, rule: string): Promise<string>
  /** A disk that nothing uses, which RC-1301 would delete. */
  orphan(uid: string, fields?: object): Promise<string>
  /** Tells of a resource as it is now. */
  tell(uid: string, fields: object): Promise<void>
  /** What the cloud was asked for, looks aside: `delete vol-1`. */
  made(): string[]
  send(method: string, path: string, body?: object, token?: string): Promise<Answer>
  /** Begins a workflow; its id. */
  begin(recommendationId: string): Promise<string>
  job(id: string): Promise<any>
  /** The workflow once it has that status. */
  reaches(id: string, ...statuses: string[]): Promise<any>
  approve(id: string, by?: Founder, step?: string): Promise<Answer>
  statusOf(recommendationId: string): Promise<string>
}

export const approveStep = (template: string): string => encodeURIComponent(`${template}/approve/1`)

/** `people`: an owner, an admin, an editor and a viewer. */
export async function findings(): Promise<Findings> {
  const f = await fleet()
  const us = { accessToken: f.token, orgId: f.orgId } as Founder
  const [owner, admin, editor, viewer] = [
    await colleague(us, 'owner'),
    await colleague(us, 'admin'),
    await colleague(us, 'editor'),
    await colleague(us, 'viewer'),
  ]
  const { clouds } = tokens
  const cloud = f.product.get(clouds).simulated
  const send = (method: string, path: string, body?: object, token = f.token) =>
    ask(method, path, { token, ...(body && { body }) })
  const of = async (uid: string, rule: string) => {
    const path = `/recommendations?resource_uid=${uid}&rule_id=${rule}`
    let id = ''
    await until(`the recommendation ${rule} of ${uid}`, async () => {
      id = (await send('GET', path)).body.data.items[0]?.id ?? ''
      return id !== ''
    })
    return id
  }
  const tell = (uid: string, fields: object) =>
    f.publish(resourceDiscovered, [
      {
        resourceUid: uid,
        name: uid,
        provider: 'aws' as const,
        cloudAccountId: f.accountId,
        region: 'us-east-1',
        type: 'aws-ec2',
        ...fields,
      },
    ])
  const refresh = async () => {
    const { body } = await send('POST', '/recommendations/refresh')
    await until('the sweep', async () => {
      const { store } = (await testProduct()).connections
      const { rows } = await store.pool.query(
        `select from job where org_id = $1 and name = 'recommendation-sweep' and ended_run_id = $2`,
        [f.orgId, body.data.refreshID],
      )
      return rows.length === 1
    })
  }
  /** With two weeks of metrics, all of that figure. */
  const measured = async (uid: string, status: ResourceStatus, value: number, rule: string) => {
    const specs = { lifecycle: 'on-demand', created_at: '2024-01-01T00:00:00Z' }
    await tell(uid, { instanceType: 'm5.2xlarge', status, specs, hourlyRateUSD: 0.384 })
    const from = Math.floor(Date.now() / dayMs) * dayMs - 14 * dayMs
    const samples = (['cpu_percent', 'memory_percent', 'network_in_bytes', 'network_out_bytes'] as const).flatMap(
      (metric) =>
        Array.from({ length: 14 * 24 }, (_, n) => ({
          metric,
          value,
          ts: new Date(from + n * 3_600_000).toISOString(),
        })),
    )
    await f.publish(metricSample, [{ resourceUid: uid, samples }], { place: f.accountId })
    await refresh()
    return of(uid, rule)
  }
  const job = async (id: string) => (await send('GET', `/workflows/${id}`)).body.data
  return Object.assign(f, {
    owner,
    admin,
    editor,
    viewer,
    send,
    job,
    tell,
    idle: (uid: string, status: ResourceStatus = 'running') => measured(uid, status, 1.5, 'RC-1001'),
    oversized: (uid: string) => measured(uid, 'running', 20, 'RC-1101'),
    finding: of,
    orphan: async (uid: string, fields: object = {}) => {
      const specs = { state: 'available', days_detached: 40, volume_type: 'gp3', encrypted: true }
      await tell(uid, { type: 'aws-ebs-volume', instanceType: 'gp3', sizeGB: 500, status: 'running', specs, ...fields })
      return of(uid, 'RC-1301')
    },
    made: () =>
      cloud.calls
        .filter(({ cloudAccountId, call }) => cloudAccountId === f.accountId && call !== 'look' && call !== 'verify')
        .map(({ call, resourceUid }) => `${call} ${resourceUid}`),
    begin: async (recommendationId: string) => {
      const { status, body } = await send('POST', `/recommendations/${recommendationId}/workflow`)
      expect(status, JSON.stringify(body)).to.equal(202)
      // An answer waits for three seconds only.
      await until(
        'it waits or is over',
        async () => !['pending', 'running'].includes((await job(body.data.jobID)).status),
      )
      return body.data.jobID as string
    },
    reaches: async (id: string, ...statuses: string[]) => {
      let found: any
      await until(`${statuses.join(' or ')} of ${id}`, async () => {
        found = await job(id)
        return statuses.includes(found.status)
      }).catch((error: Error) => {
        throw new Error(`${error.message}: ${JSON.stringify(found)}`)
      })
      return found
    },
    approve: async (id: string, by: Founder = admin, step?: string) => {
      const named = step ?? (await job(id)).steps.find(({ status }: any) => status === 'awaiting_user').id
      return send('POST', `/workflows/${id}/steps-by-id/${encodeURIComponent(named)}/approve`, {}, by.accessToken)
    },
    statusOf: async (recommendationId: string) =>
      (await send('GET', `/recommendations/${recommendationId}/detail`)).body.data.status,
  })
}
