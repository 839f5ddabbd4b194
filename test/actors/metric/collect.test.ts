import { expect } from 'chai'
import { metricCollectionActor } from '#actors/metric/actor.ts'
import { metricCollectionJob, type CollectTools } from '#actors/metric/collect.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import type { Event } from '#engine/run/publisher.ts'
import { cloudFault, type CloudAccount, type MetricSamples, type ResourceRef } from '#streams/cloud/connector.ts'
import { metricCollected } from '#streams/metric/messages.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const hourMs = 3_600_000
const now = new Date('2026-04-06T09:30:00Z')
const account = (id: string, through: string | null = null) => ({
  id,
  provider: 'aws',
  name: id,
  external_id: id,
  regions: [],
  credentials: null,
  billing_export: null,
  through: through && new Date(through),
})

type Measure = (
  account: CloudAccount,
  refs: readonly ResourceRef[],
  from: Date,
  to: Date,
) => AsyncIterable<MetricSamples>

/** One sample an hour of each resource but `i-mute`. */
async function* hourly(_: CloudAccount, refs: readonly ResourceRef[], from: Date, to: Date) {
  for (const { resourceUid } of refs) {
    if (resourceUid === 'i-mute') continue
    const samples = []
    for (let at = from.getTime(); at < to.getTime(); at += hourMs)
      samples.push({ metric: 'cpu_percent' as const, value: 1, ts: new Date(at).toISOString() })
    yield { resourceUid, samples }
  }
}

/** The job over accounts and uids of theirs; what it published, by message. */
class World {
  readonly messages: { id: string; events: Event[] }[] = []
  readonly single: Event[] = []
  accounts = [account('acct-1')]
  uids = ['i-1', 'i-2', 'i-mute']
  /** When they were discovered, where not long ago. */
  discovered: Record<string, string> = {}
  measure: Measure = hourly

  async run(attempt = 1): Promise<void> {
    const tools = {
      reads: {
        rows: async (sql: string, [, , after, limit, since]: [string, string, string, number, Date]) => {
          if (sql.includes('from cloud_account')) return this.accounts
          if (sql.includes('from metric_collection')) return this.accounts.map(({ id, through }) => ({ id, through }))
          return this.uids
            .filter((uid) => uid > after && new Date(this.discovered[uid] ?? 0) >= since)
            .slice(0, limit)
            .map((resourceUid) => ({ resourceUid, type: 'aws-ec2', region: 'r', specs: {} }))
        },
      },
      publisher: {
        publishTogether: async (id: string, events: Event[]) => void this.messages.push({ id, events }),
        publish: async (event: Event) => void this.single.push(event),
      },
      cloudOf: () => ({ measure: (...of: Parameters<Measure>) => this.measure(...of) }),
      now: () => now,
      open: () => null,
    } as unknown as CollectTools
    const call = { orgId: 'o1', key: 'run-1', attempt, signal: new AbortController().signal } as unknown as EffectCall
    await metricCollectionJob(tools)({} as never, call)
  }

  /** `uid ts` of every sample. */
  get samples(): string[] {
    return this.messages.flatMap(({ events }) =>
      events.flatMap(({ data }) => {
        const { resourceUid, samples } = data as MetricSamples
        return samples.map(({ ts }) => `${resourceUid} ${ts}`)
      }),
    )
  }

  get cursors(): unknown[] {
    return this.single.filter(({ subject }) => subject === (metricCollected as never)).map(({ data }) => data)
  }
}

describe('fetching metrics from clouds', () => {
  it('goes on from where the account ended to the last full hour, and says how far it is', async () => {
    const world = new World()
    world.accounts = [account('acct-1', '2026-04-06T07:00:00Z'), account('acct-2', '2026-04-06T09:00:00Z')]
    await world.run()
    expect(world.samples).to.deep.equal([
      'i-1 2026-04-06T07:00:00.000Z',
      'i-1 2026-04-06T08:00:00.000Z',
      'i-2 2026-04-06T07:00:00.000Z',
      'i-2 2026-04-06T08:00:00.000Z',
    ])
    expect(world.messages.flatMap(({ events }) => events.map(({ orgId, place }) => [orgId, place]))).to.deep.equal([
      ['o1', 'acct-1'],
      ['o1', 'acct-1'],
    ])
    expect(world.cursors).to.deep.equal([
      {
        cloudAccountId: 'acct-1',
        from: '2026-04-06T07:00:00.000Z',
        through: '2026-04-06T09:00:00.000Z',
        fetched: { 'aws-ec2': ['cpu_percent'] },
        askedAt: '2026-04-06T09:30:00.000Z',
      },
    ])
  })

  it('fetches the rest where the cloud fails of some, tells the account, and goes on from there the next hour', async () => {
    const world = new World()
    world.accounts = [account('acct-1', '2026-04-06T08:00:00Z')]
    // Two questions: the first 500 resources, and one more.
    world.uids = Array.from({ length: 501 }, (_, n) => `i-${String(n).padStart(3, '0')}`)
    world.measure = (of, refs, from, to) => {
      if (refs.length === 500) throw cloudFault('transient', 'throttled', 'Rate exceeded', { fixHint: 'Ask less.' })
      return hourly(of, refs, from, to)
    }
    await world.run()
    expect(world.samples).to.deep.equal(['i-500 2026-04-06T08:00:00.000Z'])
    expect(world.cursors).to.deep.equal([])
    expect(world.single.map(({ subject, data }) => [subject.name, data])).to.deep.equal([
      ['account.metrics_failed', { id: 'acct-1', message: 'Rate exceeded Ask less.' }],
    ])
  })

  it('begins two weeks back, also after a longer pause, and notes how far it is after each of them', async () => {
    for (const through of [null, '2026-01-01T00:00:00Z']) {
      const world = new World()
      world.accounts = [account('acct-1', through)]
      await world.run()
      expect(world.samples).to.have.length(2 * 14 * 24)
      expect(world.cursors.map((one) => Object.values(one as object).slice(1, 3))).to.deep.equal([
        ['2026-03-23T09:00:00.000Z', '2026-03-30T09:00:00.000Z'],
        ['2026-03-30T09:00:00.000Z', '2026-04-06T09:00:00.000Z'],
      ])
    }
  })

  it('fetches the newest week though the one before it fails, and goes on from that one the next hour', async () => {
    const world = new World()
    world.accounts = [account('acct-1', null)]
    world.measure = (of, refs, from, to) => {
      if (from.toISOString() === '2026-03-23T09:00:00.000Z') throw cloudFault('transient', 'throttled', 'Rate exceeded')
      return hourly(of, refs, from, to)
    }
    await world.run()
    expect(world.samples).to.have.length(2 * 7 * 24)
    expect(world.samples[0]).to.equal('i-1 2026-03-30T09:00:00.000Z')
    expect(world.cursors).to.deep.equal([])
  })

  it('fetches the past of what was discovered since, or while the last was fetched, before it goes on', async () => {
    const world = new World()
    world.accounts = [account('acct-1', '2026-04-06T08:00:00Z')]
    world.discovered = { 'i-2': '2026-04-06T07:00:01Z', 'i-1': '2026-04-06T06:59:59Z' }
    await world.run()
    const of = (uid: string) => world.samples.filter((one) => one.startsWith(uid)).map((one) => one.slice(4))
    expect(of('i-1')).to.deep.equal(['2026-04-06T08:00:00.000Z'])
    expect(of('i-2')).to.have.length(14 * 24)
    expect([of('i-2')[0], of('i-2').at(-1)]).to.deep.equal(['2026-03-23T09:00:00.000Z', '2026-04-06T08:00:00.000Z'])
    expect(new Set(of('i-2'))).to.have.property('size', 14 * 24)
    expect(world.cursors.map((one) => Object.values(one as object).slice(1, 3))).to.deep.equal([
      ['2026-03-23T09:00:00.000Z', '2026-03-30T09:00:00.000Z'],
      ['2026-03-30T09:00:00.000Z', '2026-04-06T08:00:00.000Z'],
      ['2026-04-06T08:00:00.000Z', '2026-04-06T09:00:00.000Z'],
    ])
  })

  it('does so too where all was fetched in this very hour, and again where the cloud refuses', async () => {
    const world = new World()
    world.accounts = [account('acct-1', '2026-04-06T09:00:00Z')]
    world.discovered = { 'i-2': '2026-04-06T09:00:20Z' }
    const { measure } = world
    world.measure = () => {
      throw cloudFault('transient', 'throttled', 'Later.')
    }
    await world.run()
    expect(world.cursors).to.deep.equal([])
    world.measure = measure
    await world.run(2)
    expect(world.samples).to.have.length(14 * 24)
    expect(world.samples.every((one) => one.startsWith('i-2'))).to.equal(true)
  })

  it('tells the same samples under the same ids when it is done again', async () => {
    const world = new World()
    await world.run()
    const ids = () => world.messages.flatMap(({ events }) => events.map(({ id }) => id))
    const first = ids()
    expect(new Set(first)).to.have.property('size', first.length)
    world.messages.length = 0
    await world.run(2)
    expect(ids()).to.deep.equal(first)
  })

  it('ends for an account whose cloud refuses it or is out of reach, tells it, and does the others', async () => {
    const world = new World()
    world.accounts = [account('acct-1'), account('acct-2'), account('acct-3', '2026-04-06T08:00:00Z')]
    world.measure = (of, ...more) => {
      if (of.id === 'acct-1') throw cloudFault('user_action', 'credentials_refused', 'No.')
      if (of.id === 'acct-2') throw cloudFault('transient', 'throttled', 'Later.')
      return hourly(of, ...more)
    }
    await world.run()
    expect(world.cursors.map((one) => (one as { cloudAccountId: string }).cloudAccountId)).to.deep.equal(['acct-3'])
    expect(world.single.map(({ subject }) => (subject as unknown as { name: string }).name)).to.deep.equal([
      'account.refused',
      'account.metrics_failed',
      'metric.collected',
    ])
  })

  it('does not hide what is no fault of a cloud', async () => {
    const world = new World()
    world.measure = () => {
      throw new Error('broken')
    }
    const error: unknown = await world.run().catch((thrown: unknown) => thrown)
    expect(String(error)).to.contain('broken')
  })
})

describe('actor metric-collection', () => {
  const told = (from: string, through: string, fetched: Record<string, string[]> = {}) => ({
    cloudAccountId: 'acct-1',
    from: `2026-04-${from}T00:00:00.000Z`,
    through: `2026-04-${through}T00:00:00.000Z`,
    fetched,
  })
  const day = (number: string) => new Date(`2026-04-${number}T00:00:00.000Z`)

  it('knows since when it has everything, through repeats, and begins anew behind a gap', () => {
    const actor = new MemoryActor(metricCollectionActor, { key: 'acct-1' })
    actor.take(metricCollected, told('01', '03', { 'aws-ec2': ['cpu_percent'] }))
    actor.take(metricCollected, told('03', '05', { 'aws-ec2': ['memory_percent'], 'aws-alb': ['requests'] }))
    actor.take(metricCollected, told('01', '03'))
    expect(actor.state).to.deep.include({
      begunAt: day('01'),
      through: day('05'),
      fetched: { 'aws-ec2': ['cpu_percent', 'memory_percent'], 'aws-alb': ['requests'] },
    })
    actor.take(metricCollected, { ...told('06', '07'), askedAt: day('07').toISOString() })
    actor.take(metricCollected, { ...told('07', '08'), askedAt: day('08').toISOString() })
    expect(actor.state).to.deep.include({ begunAt: day('06'), through: day('08'), askedAt: day('07') })
  })
})
