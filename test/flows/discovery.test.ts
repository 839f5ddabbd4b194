import { expect } from 'chai'
import { tokens } from '#config/wiring/tokens.ts'
import { accountId } from '#streams/account/id.ts'
import type { PlannedFault } from '#streams/cloud/simulated/state/faults.ts'
import type { Provider } from '#streams/names.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { advance, setClock } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const idle = { id: null, status: 'idle', discovered: 0, startedAt: null, completedAt: null }
const live = ['queued', 'running', 'canceling']
const finished = ['completed', 'partial', 'failed', 'cancelled', 'skipped']

interface Status {
  id: string
  status: string
  discovered: number
  startedAt: string
  completedAt: string | null
}

/** One organization whose accounts are those of the simulated cloud. */
class Discovering {
  readonly org: Tenant
  readonly cloud

  constructor(org: Tenant) {
    this.org = org
    this.cloud = org.product.get(tokens.clouds).simulated
  }

  /** Replaces the plan of faults; the accounts are named by their number at the provider. */
  plan(...faults: (Omit<PlannedFault, 'times' | 'call'> & { of: string; times?: number })[]): void {
    const planned = faults.map(({ of, ...fault }) => ({
      call: 'discover' as const,
      times: 1,
      ...fault,
      cloudAccountId: this.id(of),
    }))
    this.cloud.faults.set({ faults: planned })
  }
  id(externalID: string): string {
    return accountId(this.org.orgId, externalID.split('-')[1] as Provider, externalID)
  }
  count(externalID: string): number {
    return this.cloud.world.resources.get(externalID)!.length
  }
  /** How often an account was looked through. */
  looks(externalID: string): number {
    return this.cloud.calls.filter((made) => made.call === 'discover' && made.cloudAccountId === this.id(externalID))
      .length
  }
  async connect(externalID: string, fields: object = {}): Promise<void> {
    const provider = externalID.split('-')[1]
    const r = await this.org.send('POST', '/cloud-accounts', { name: externalID, provider, externalID, ...fields })
    expect([r.status, r.body.data.id]).to.deep.equal([201, this.id(externalID)])
    await this.ended()
  }
  async status(): Promise<Status> {
    const { data } = (await this.org.get('/resources/refresh/status')).body
    expect([...live, ...finished, 'idle']).to.include(data.status)
    expect(data.completedAt === null, data.status).to.equal(!finished.includes(data.status))
    return data
  }
  async begin(body: object = {}): Promise<string> {
    const r = await this.org.send('POST', '/resources/refresh', body)
    expect([r.status, r.body]).to.deep.equal([202, { data: { refreshID: r.body.data.refreshID, status: 'queued' } }])
    return r.body.data.refreshID
  }
  async is(status: string): Promise<Status> {
    await until(status, async () => (await this.status()).status === status)
    return this.status()
  }
  /** Polls until it is over; the statuses it went through. */
  async ended(): Promise<{ seen: string[]; last: Status }> {
    const seen: string[] = []
    let last = await this.status()
    await until('the end of the refresh', async () => {
      const next = await this.status()
      if (next.id === last.id) expect(next.discovered).to.be.at.least(last.discovered)
      last = next
      if (seen.at(-1) !== next.status) seen.push(next.status)
      return !live.includes(next.status)
    })
    if (last.completedAt) expect(Date.parse(last.completedAt)).to.be.at.least(Date.parse(last.startedAt))
    return { seen, last }
  }
  async lastSynced(): Promise<Record<string, string>> {
    const { data } = (await this.org.get('/resources/last-synced')).body
    return Object.fromEntries(data.map((entry: any) => [entry.cloudAccountID, entry.lastSyncedAt]))
  }
}

/** The next discovery at the cloud has no pages before what is returned here is called. */
function held(cloud: Discovering['cloud']): () => void {
  const discover = cloud.discover.bind(cloud)
  const { promise, resolve } = Promise.withResolvers<void>()
  cloud.discover = (...about) => {
    cloud.discover = discover
    const found = discover(...about)
    const { pages } = found
    async function* behind() {
      await promise
      yield* pages
    }
    return Object.defineProperty(found, 'pages', { value: behind() })
  }
  return resolve
}

const staging = 'sim-aws-staging'
const analytics = 'sim-aws-analytics'
const data = 'sim-gcp-data'

describe('discovery', () => {
  let d: Discovering
  beforeEach(async () => void (d = new Discovering(await tenant())))
  afterEach(async () => {
    d.cloud.faults.set({ faults: [] })
    await d.org.connections.clock.set(new Date())
  })

  deepIt(
    'is idle until it is asked for, goes on provider by provider, and keeps what it found of the good account when one is broken [DISC-01..DISC-05] [DISC-08] [DISC-11] [RES-08]',
    async () => {
      expect(await d.status()).to.deep.equal(idle)
      await d.connect(staging)
      d.plan({ of: data, error: 'access_denied', times: 2 })
      await d.connect(data)
      const before = await d.lastSynced()
      expect(Object.keys(before)).to.deep.equal([d.id(staging)])
      d.plan({ of: data, error: 'access_denied' }, { of: staging, delaySeconds: 3 })
      const id = await d.begin()
      const { seen, last } = await d.ended()
      expect(seen.slice(-2)).to.deep.equal(['running', 'partial'])
      expect(last).to.deep.equal({ ...last, id, status: 'partial', discovered: d.count(staging) })
      const after = await d.lastSynced()
      expect(Object.keys(after)).to.deep.equal([d.id(staging)])
      expect(Date.parse(after[d.id(staging)]!)).to.be.above(Date.parse(before[d.id(staging)]!))
      const account = (await d.org.get(`/cloud-accounts/${d.id(data)}`)).body.data
      expect([account.message, account.lastSyncedAt]).to.deep.equal(['Simulated fault: access_denied.', null])
      const { providers } = (await d.org.get('/resources/discovery-summary')).body.data
      expect(providers).to.deep.equal([
        { provider: 'aws', resources: d.count(staging), lastSyncedAt: after[d.id(staging)] },
        { provider: 'gcp', resources: 0, lastSyncedAt: null },
      ])
    },
  )

  it('completes when every account was seen, fails when none was, and says when each was last seen whole [DISC-02] [DISC-07] [DISC-09] [DISC-16] [RES-08]', async () => {
    await d.connect(staging)
    const id = await d.begin({ cloudAccountID: d.id(staging), provider: 'aws' })
    const { last } = await d.ended()
    expect(last).to.deep.equal({ ...last, id, status: 'completed', discovered: d.count(staging) })
    expect(await d.lastSynced()).to.deep.equal({ [d.id(staging)]: last.completedAt })
    const { providers } = (await d.org.get('/resources/discovery-summary')).body.data
    expect(providers).to.deep.equal([{ provider: 'aws', resources: d.count(staging), lastSyncedAt: last.completedAt }])
    d.plan({ of: staging, error: 'credentials_expired' })
    await d.begin()
    expect((await d.ended()).last).to.include({ status: 'failed', discovered: 0 })
    expect(await d.lastSynced()).to.deep.equal({ [d.id(staging)]: last.completedAt })
    expect((await d.org.get('/resources/count')).body.data.count).to.equal(d.count(staging))
  })

  deepIt('tries again what may work later [DISC-07]', async () => {
    await d.connect(staging)
    d.plan({ of: staging, error: 'throttled' })
    await d.begin()
    expect((await d.ended()).last).to.include({ status: 'completed', discovered: d.count(staging) })
    expect(d.looks(staging)).to.equal(3)
  })

  it('skips the second of two requests for one account, and lets the first end [DISC-04] [DISC-05] [DISC-10]', async () => {
    await d.connect(staging)
    const release = held(d.cloud)
    const one = { cloudAccountID: d.id(staging) }
    const first = await d.begin(one)
    const second = await d.begin(one)
    expect(second).to.not.equal(first)
    expect(await d.status()).to.deep.include({ id: first, completedAt: null })
    const skipped = (await d.org.get(`/resources/refresh/status?refreshID=${second}`)).body.data
    expect(skipped).to.deep.equal({ ...skipped, id: second, status: 'skipped', discovered: 0 })
    const before = (await d.lastSynced())[d.id(staging)]
    release()
    await until('the first to end', async () => (await d.lastSynced())[d.id(staging)] !== before)
    expect(d.looks(staging)).to.equal(2)
  })

  deepIt(
    'stops behind the provider it is at, says so for an hour, and is idle then [DISC-05] [DISC-06] [DISC-12]',
    async () => {
      await d.connect(staging)
      await d.connect(data)
      const before = await d.lastSynced()
      const looks = d.looks(data)
      d.plan({ of: staging, delaySeconds: 4 })
      const id = await d.begin()
      await d.is('running')
      const cancelled = await d.org.send('POST', '/resources/refresh/cancel')
      expect([cancelled.status, cancelled.body.data.status]).to.deep.equal([202, 'canceling'])
      expect((await d.org.send('POST', '/resources/refresh/cancel')).status).to.equal(409)
      const { seen, last } = await d.ended()
      expect([seen, last.id]).to.deep.equal([['canceling', 'cancelled'], id])
      expect(last.discovered).to.equal(d.count(staging))
      expect(d.looks(data)).to.equal(looks)
      const after = await d.lastSynced()
      expect(after[d.id(data)]).to.equal(before[d.id(data)])
      expect(after[d.id(staging)]).to.equal(last.completedAt)
      const minutes = async (count: number) => {
        const at = new Date(Date.parse(last.completedAt!) + count * 60_000)
        expect((await setClock(at)).status).to.equal(200)
        return d.status()
      }
      expect(await minutes(59)).to.deep.equal(last)
      expect(await minutes(61)).to.deep.equal(idle)
    },
  )

  deepIt(
    'fails when nothing is heard of it for ten minutes, and begins anew once the clock is set back [DISC-09]',
    async () => {
      await d.connect(staging)
      d.plan({ of: staging, delaySeconds: 600 })
      const id = await d.begin()
      await d.is('running')
      // Without jobs: one of them would begin a refresh then.
      expect((await advance(601)).status).to.equal(200)
      const failed = await d.is('failed')
      expect([failed.id, failed.discovered]).to.deep.equal([id, 0])
      expect(Date.parse(failed.completedAt!) - Date.parse(failed.startedAt)).to.be.within(600_000, 640_000)
      await d.org.connections.clock.set(new Date())
      const anew = await d.begin()
      const { last } = await d.ended()
      expect(last).to.include({ id: anew, status: 'completed', discovered: d.count(staging) })
      expect(Date.parse(last.completedAt!)).to.be.within(performance.timeOrigin, Date.now() + 1000)
    },
  )

  deepIt(
    'takes an account into the live refresh that is not being looked through, also one that was before',
    async () => {
      await d.connect(staging)
      await d.connect(data)
      const looks = d.looks(staging)
      d.plan({ of: data, delaySeconds: 4 })
      const id = await d.begin()
      await until('the second provider', () => d.looks(data) === 2)
      expect((await d.status()).discovered).to.equal(d.count(staging))
      expect(await d.begin({ cloudAccountID: d.id(staging) })).to.equal(id)
      const { last } = await d.ended()
      expect(last).to.include({ id, status: 'completed', discovered: d.count(staging) + d.count(data) })
      expect(d.looks(staging)).to.equal(looks + 2)
    },
  )

  deepIt('covers the regions of every account that has regions named, and all regions else [RES-38]', async () => {
    await d.connect(staging, { regions: ['us-west-2'] })
    await d.connect(data)
    const regions = async (account: string) => {
      const r = await d.org.get(`/resources?limit=100&cloud_account_id=${d.id(account)}`)
      return [...new Set<string>(r.body.data.map((resource: any) => resource.region))]
    }
    expect(await regions(staging)).to.have.members(['us-west-2'])
    expect(await regions(data)).to.have.members(['europe-west1', 'us-central1'])
    await d.org.send('PATCH', `/cloud-accounts/${d.id(staging)}`, { regions: ['us-west-2', 'us-east-1'] })
    await d.begin()
    await d.ended()
    expect(await regions(staging)).to.have.members(['us-east-1', 'us-west-2'])
    await d.org.send('PATCH', `/cloud-accounts/${d.id(staging)}`, { regions: ['us-east-1'] })
    await d.begin()
    await d.ended()
    expect(await regions(staging)).to.have.members(['us-east-1'])
  })

  it('says on the stream what it found, each resource once, and deletes what it did not find, also there and in the inventory [DISC-14] [DISC-15]', async () => {
    await d.connect(staging)
    const lost = {
      resourceUid: 'i-lost',
      name: 'lost',
      type: 'aws-ec2',
      provider: 'aws',
      cloudAccountId: d.id(staging),
      region: 'us-east-1',
    } as const
    await d.org.publish(resourceDiscovered, [lost])
    expect((await d.org.get('/resources/by-uids?uids=i-lost')).body.data).to.have.length(1)
    const events: any[] = []
    const heard = d.org.connections.nats.subscribe(`lane.*.resource.${d.org.orgId}.>`, {
      callback: (_, message) => void events.push(...[message.json<any>()].flat()),
    })
    const id = await d.begin()
    await d.ended()
    heard.unsubscribe()
    expect((await d.org.get('/resources/by-uids?uids=i-lost')).body.data).to.deep.equal([])
    const deleted = events.filter(({ type }) => type === 'resource.deleted')
    expect(deleted.map((event) => event.data)).to.deep.equal([
      { resourceUid: 'i-lost', provider: 'aws', cloudAccountId: d.id(staging), refreshId: id },
    ])
    const found = events.filter(({ type }) => type === 'resource.discovered').map((event) => event.data)
    const expected = d.cloud.world.resources.get(staging)!.map(({ uid, name, type, tags, parentUid }) => ({
      resourceUid: uid,
      name,
      type,
      tags,
      parentUID: parentUid,
      cloudAccountId: d.id(staging),
      refreshId: id,
    }))
    const said = found.map((event) =>
      Object.fromEntries(Object.keys(expected[0]!).map((name) => [name, event[name] as unknown])),
    )
    expect(said).to.deep.equal(expected)
  })

  deepIt('deletes nothing of an account that its own producers feed, nor of one it could not see', async () => {
    const fed = { resourceUid: 'i-1', name: 'fed', type: 'aws-ec2', provider: 'aws', region: 'eu' } as const
    await d.connect(analytics)
    await d.org.publish(resourceDiscovered, [
      { ...fed, cloudAccountId: 'acct-1' },
      { ...fed, cloudAccountId: d.id(analytics) },
    ])
    d.plan({ of: analytics, error: 'access_denied' })
    await d.begin()
    expect((await d.ended()).last).to.include({ status: 'partial', discovered: 0 })
    expect((await d.org.get('/resources/count')).body.data.count).to.equal(d.count(analytics) + 2)
  })
})
