import { expect } from 'chai'
import type { CollectTools } from '#actors/metric/collect.ts'
import { targetLoadJob } from '#actors/metric/target-load.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import type { Event } from '#engine/run/publisher.ts'
import { cloudFault, type CloudAccount, type ResourceRef } from '#streams/cloud/connector.ts'

const now = new Date('2026-04-06T09:30:40Z')
const account = (id: string) => ({
  id,
  provider: 'aws',
  name: id,
  external_id: id,
  regions: [],
  credentials: null,
  billing_export: null,
})
const target = (accountId: string, resourceUid: string) => ({
  accountId,
  resourceUid,
  type: 'aws-asg',
  region: 'r',
  specs: {},
})

/** What the job asks of clouds, and what it publishes. */
async function run(targets: readonly object[], refuses: readonly string[] = []) {
  const asked: string[] = []
  const messages: Event[][] = []
  const single: string[] = []
  async function* measure(of: CloudAccount, refs: readonly ResourceRef[], from: Date, to: Date, step: number) {
    const uids = refs.map(({ resourceUid }) => resourceUid).join()
    asked.push(`${of.id} ${uids} ${from.toISOString()} ${to.toISOString()} ${step}`)
    if (refuses.includes(of.id)) throw cloudFault('user_action', 'credentials_refused', 'No.')
    const ts = '2026-04-06T09:28:00.000Z'
    for (const { resourceUid } of refs)
      yield {
        resourceUid,
        samples: [
          { metric: 'cpu_percent' as const, value: 90, ts },
          { metric: 'memory_percent' as const, value: 10, ts },
        ],
      }
  }
  const tools = {
    reads: {
      rows: async (sql: string) => (sql.includes('from autoscaler_policy') ? targets : ['a', 'b', 'c'].map(account)),
    },
    publisher: {
      publishTogether: async (_: string, events: Event[]) => void messages.push(events),
      publish: async ({ subject }: Event) => void single.push((subject as unknown as { name: string }).name),
    },
    cloudOf: () => ({ measure }),
    now: () => now,
    open: () => null,
  } as unknown as CollectTools
  const call = { orgId: 'o1', key: 'run-1', attempt: 1, signal: new AbortController().signal } as unknown as EffectCall
  await targetLoadJob(tools)({} as never, call)
  return { asked, messages, single }
}

describe('fetching the load of what policies scale', () => {
  it('asks for the last ten whole minutes of the targets alone, and tells of their CPU alone', async () => {
    const { asked, messages } = await run([target('a', 'web'), target('c', 'api')])
    const span = '2026-04-06T09:20:00.000Z 2026-04-06T09:30:00.000Z 60'
    expect(asked).to.deep.equal([`a web ${span}`, `c api ${span}`])
    const samples = [{ metric: 'cpu_percent', value: 90, ts: '2026-04-06T09:28:00.000Z' }]
    expect(messages.flat().map(({ place, data }) => ({ place, data }))).to.deep.equal([
      { place: 'a', data: { resourceUid: 'web', samples } },
      { place: 'c', data: { resourceUid: 'api', samples } },
    ])
  })

  it('asks nothing without targets, and goes on behind an account that refuses, which is told', async () => {
    expect(await run([])).to.deep.equal({ asked: [], messages: [], single: [] })
    const { messages, single } = await run([target('a', 'web'), target('b', 'api')], ['a'])
    expect([messages.flat().map(({ place }) => place), single]).to.deep.equal([['b'], ['account.refused']])
  })
})
