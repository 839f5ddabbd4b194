// tier: deep
import { expect } from 'chai'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { found } from '#test/harness/tagged.ts'

const threeDays = 3 * 86_400

/** What people, producers and timers do, all at the present time. */
async function work(org: Tenant, name: string): Promise<void> {
  const now = () => new Date(org.connections.clock.now())
  await org.publish(resourceDiscovered, [found(name, { status: 'running' })], { place: 'acct-1', time: now() })
  const sample = { metric: 'cpu_percent' as const, ts: now().toISOString(), value: 1 }
  await org.publish(metricSample, [{ resourceUid: name, samples: [sample] }], {
    place: 'acct-1',
    time: now(),
  })
  const changes: [path: string, body: object][] = [
    ['/teams', { name }],
    [
      '/overrides',
      {
        scopeType: 'resource',
        scopeID: name,
        desiredState: 'running',
        expiresAt: new Date(now().getTime() + 3_600_000).toISOString(),
      },
    ],
  ]
  for (const [path, body] of changes) {
    const answer = await org.send('POST', path, body)
    expect(answer.status, `${name} ${path}: ${JSON.stringify(answer.body)}`).to.equal(201)
  }
}

describe('a clock that is set back by days', () => {
  afterEach(resetClock)

  it('leaves no dead letters, and everything goes on', async () => {
    const org = await tenant()
    await work(org, 'before')
    await advance(threeDays)
    await work(org, 'ahead')
    await resetClock()
    await work(org, 'back')
    const { rows } = await org.connections.store.pool.query(
      'select type, code, reason from dead_letter where org_id = $1',
      [org.orgId],
    )
    expect(rows).to.deep.equal([])
    const { body } = await org.get('/resources?limit=10')
    const names = (body.data as { name: string }[]).map(({ name }) => name)
    expect(names.toSorted()).to.deep.equal(['ahead', 'back', 'before'])
  })
})
