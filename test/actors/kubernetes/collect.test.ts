import { expect } from 'chai'
import { kubernetesUsageJob, type UsageTools } from '#actors/kubernetes/collect.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import type { Event } from '#engine/run/publisher.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'

const now = new Date('2026-04-06T09:32:10Z')
const row = (id: string) => ({
  id,
  provider: 'aws',
  name: id,
  external_id: id,
  regions: [],
  credentials: null,
  billing_export: null,
})
const usage = (clusterUid: string) => ({ clusterUid, from: '2026-04-06T09:25:00.000Z', seconds: 300 })

/** What is asked of the accounts a, b and c, and what is published. */
async function run(at: string, fails: Readonly<Record<string, Error>> = {}, pulled: readonly string[] = []) {
  const asked: string[] = []
  const told: string[] = []
  async function* clusters({ id }: CloudAccount, moment: Date) {
    asked.push(`${id} ${moment.toISOString()}`)
    yield usage(`${id}-1`)
    if (fails[id]) throw fails[id]
    yield usage(`${id}-2`)
  }
  const tools = {
    reads: {
      rows: async (sql: string) =>
        sql.includes('kubernetes_source') ? pulled.map((uid) => ({ cluster_uid: uid })) : ['a', 'b', 'c'].map(row),
    },
    publisher: {
      publish: async ({ subject, place, data }: Event) =>
        void told.push(`${subject.name} ${place ?? ''} ${(data as { clusterUid?: string }).clusterUid ?? ''}`.trim()),
    },
    cloudOf: () => ({ usage: clusters }),
    now: () => now,
    open: () => null,
  } as unknown as UsageTools
  const call = { orgId: 'o1', key: 'run-1', attempt: 1, signal: new AbortController().signal } as unknown as EffectCall
  const error = await kubernetesUsageJob(tools)({ at } as never, call)?.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  return { asked: asked.toSorted(), told: told.toSorted(), error }
}

const of = (...uids: string[]) => uids.map((uid) => `kubernetes.usage ${uid[0]} ${uid}`)

describe('telling who uses clusters', () => {
  it('publishes what every account tells as of the time the run was due, for each under its account', async () => {
    expect(await run('2026-04-06T09:31:00Z')).to.deep.equal({
      asked: ['a', 'b', 'c'].map((id) => `${id} 2026-04-06T09:31:00.000Z`),
      told: of('a-1', 'a-2', 'b-1', 'b-2', 'c-1', 'c-2'),
      error: undefined,
    })
  })

  it('leaves clusters to the Prometheus server that reports them, so that no hour counts twice', async () => {
    const { told } = await run('2026-04-06T09:31:00Z', {}, ['a-1', 'c-2', 'gone'])
    expect(told).to.deep.equal(of('a-2', 'b-1', 'b-2', 'c-1'))
  })

  it('tells nothing of the past: a run that was due long ago is of now', async () => {
    const { asked } = await run('2026-04-06T09:27:10Z')
    expect(asked[0]).to.equal(`a ${now.toISOString()}`)
  })

  it('goes on behind an account that cannot be asked, and notices credentials that are refused', async () => {
    const { told, error } = await run('2026-04-06T09:31:00Z', {
      a: cloudFault('user_action', 'credentials_refused', 'No.'),
      b: cloudFault('transient', 'throttled', 'Slowly.'),
    })
    expect(told).to.deep.equal(['account.refused', ...of('a-1', 'b-1', 'c-1', 'c-2')])
    expect(error).to.equal(undefined)
  })

  it('fails with what is no fault of a cloud', async () => {
    const broken = new Error('broken')
    expect((await run('2026-04-06T09:31:00Z', { c: broken })).error).to.equal(broken)
  })
})
