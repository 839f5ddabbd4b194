import { expect } from 'chai'
import { decoder } from '#engine/value/schema.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { account, denied, refusing, type Answer, type Question } from './far-google.ts'
import { everything, isSeen, project, scanned, uidsOf, world, wronglyDeleted } from './world.ts'

/** The world, but for what a test says. */
const but =
  (other: (question: Question) => Answer | undefined) =>
  (question: Question): Answer =>
    other(question) ?? world(question)

const lists =
  (what: string, page?: number) =>
  ({ path, query }: Question) =>
    path.endsWith(`/aggregated/${what}`) && (page === undefined || Number(query.get('pageToken') ?? 0) === page)

/** As a message takes it. */
const decode = decoder(resourceDiscovered.schema)
const where = (region: string) => ({ type: 'gcp-vm', region })

describe('discovery of a project of Google Cloud', () => {
  it('finds all there is, each once, parents before their children, by the fewest calls', async () => {
    const { found, seen, missing, message, far } = await scanned(world)
    expect(uidsOf(found).toSorted()).to.deep.equal([...everything().keys()].toSorted())
    expect(found.map(({ resourceUid, type, region }) => [resourceUid, { type, region }])).to.have.deep.members([
      ...everything(),
    ])
    expect([missing, message]).to.deep.equal([[], undefined])
    for (const one of found) expect(() => decode({ ...one, cloudAccountId: 'acct-1' }), one.resourceUid).to.not.throw()
    const at = new Map(uidsOf(found).map((uid, index) => [uid, index]))
    const early = found.filter(
      ({ resourceUid, parentUID }) =>
        at.get(parentUID ?? '') !== undefined && at.get(parentUID!)! > at.get(resourceUid)!,
    )
    expect(uidsOf(early)).to.deep.equal([])
    expect([...everything().values()].every((one) => isSeen(seen, one))).to.equal(true)
    // Seven pages of machines and of disks, one call of each other kind, one more of each bucket and two of each data set.
    const hand = 2 * 7 + 3 + 3 + 1 + 1 + 1 + (1 + 1 + 2) + (1 + 2) + 1
    // Of the types that are listed: one each, seven more about the project, one more of App Engine; none of two, as the project
    // has no regions for them.
    expect(far.asked.length).to.equal(hand + 31 + 7 + 1 - 2)
  })

  it('tells of groups and pools what belongs to them', async () => {
    const { found } = await scanned(world)
    const of = (end: string) => found.find(({ resourceUid }) => resourceUid.endsWith(end))!
    const gke = `//container.googleapis.com/projects/${project}/locations/us-central1/clusters/shop`
    expect(of('/nodePools/default')).to.deep.include({
      parentUID: gke,
      unitCount: 3,
      status: 'running',
      instanceType: 'e2-standard-4',
    })
    expect(of('/gke-shop-default')).to.deep.include({ schedulable: false })
    expect(of('/gke-shop-default').specs).to.deep.include({ node_pool: `${gke}/nodePools/default`, autoscaler: false })
    expect(of('Managers/api')).to.deep.include({ unitCount: 2, status: 'running', instanceType: 'e2-standard-2' })
    expect(of('Managers/api').specs).to.deep.include({
      min_replicas: 1,
      max_replicas: 5,
      autoscaler: true,
      node_pool: null,
    })
  })

  it('leaves a zone out that does not answer, and deletes nothing of its region', async () => {
    const { found, seen, message } = await scanned(
      but((question) => {
        if (!lists('instances')(question)) return undefined
        const { items, ...rest } = world(question).body as { items: Record<string, object> }
        const { 'zones/us-east1-c': _, ...others } = items
        return { body: { ...rest, items: others, unreachables: ['zones/us-east1-c'] } }
      }),
    )
    expect(wronglyDeleted(found, seen)).to.deep.equal([])
    expect(found.filter(({ type }) => type === 'gcp-vm')).to.have.length(2 * 7 * 6)
    expect(['us-east1', 'us-central1', 'global'].map((region) => isSeen(seen, where(region)))).to.deep.equal([
      false,
      true,
      true,
    ])
    expect(isSeen(seen, { type: 'gcp-disk', region: 'us-east1' })).to.equal(true)
    expect(message).to.equal('Compute Engine VM could not be discovered in us-east1: Google did not respond.')
  })

  it('leaves a scope out whose warning says so', async () => {
    const warned = { warning: { code: 'UNREACHABLE' } }
    const { found, seen } = await scanned(
      but((question) => {
        if (!lists('disks')(question)) return undefined
        const { items, ...rest } = world(question).body as { items: Record<string, object> }
        return { body: { ...rest, items: { ...items, 'zones/europe-west1-b': warned } } }
      }),
    )
    expect(wronglyDeleted(found, seen)).to.deep.equal([])
    expect(isSeen(seen, { type: 'gcp-disk', region: 'europe-west1' })).to.equal(false)
  })

  it('counts databases as seen in the regions alone that answered, and buckets in none where some did not', async () => {
    const sql = (region?: string) =>
      but(({ path }) => {
        if (path.startsWith('/sql/'))
          return { body: { items: [], warnings: [{ code: 'REGION_UNREACHABLE', ...(region && { region }) }] } }
        return path === '/storage/v1/b'
          ? { body: { items: [], unreachable: ['projects/_/buckets/shop-media'] } }
          : undefined
      })
    const seenOf = async (region?: string) => {
      const { found, seen } = await scanned(sql(region))
      expect(wronglyDeleted(found, seen).filter((uid) => !uid.includes('cloudsql'))).to.deep.equal([])
      return ['europe-west1', 'us-east1'].map((one) => isSeen(seen, { type: 'gcp-cloudsql', region: one }))
    }
    expect(await seenOf('europe-west1')).to.deep.equal([false, true])
    expect(await seenOf()).to.deep.equal([false, false])
  })

  it('does not count a type as seen of which a page is lost, and finds the rest', async () => {
    const { found, seen, message } = await scanned(
      but((question) => (lists('instances', 2)(question) ? refusing(500, 'backendError') : undefined)),
    )
    expect(wronglyDeleted(found, seen)).to.deep.equal([])
    expect(isSeen(seen, where('us-central1'))).to.equal(false)
    expect(uidsOf(found).filter((uid) => uid.includes('/disks/'))).to.have.length(3 * 7 * 6)
    expect(message).to.include('Compute Engine VM could not be discovered')
  })

  it('names what it may not look at, and looks at all else', async () => {
    const { found, seen, missing } = await scanned(
      but((question) => {
        if (lists('disks')(question)) return denied('compute.disks.list')
        if (lists('autoscalers')(question)) return denied('compute.autoscalers.list')
        return question.path.endsWith('/iam') ? refusing(403, 'forbidden', 'no') : undefined
      }),
    )
    expect(missing).to.deep.equal(['compute.autoscalers.list', 'compute.disks.list', 'storage.buckets.getIamPolicy'])
    expect(wronglyDeleted(found, seen)).to.deep.equal([])
    expect(isSeen(seen, { type: 'gcp-mig', region: 'us-central1' })).to.equal(true)
    expect(found.find(({ resourceUid }) => resourceUid.endsWith('Managers/api'))?.specs).to.not.have.any.keys(
      'autoscaler',
      'min_replicas',
    )
    expect(found.find(({ resourceUid }) => resourceUid.endsWith('shop-media'))?.specs).to.not.have.any.keys('public')
  })

  it('says nothing of a service that is switched off, and does not count it as seen', async () => {
    const { seen, missing, message } = await scanned(
      but(({ path }) => (path.startsWith('/sql/') ? refusing(403, 'accessNotConfigured') : undefined)),
    )
    expect([missing, message]).to.deep.equal([[], undefined])
    expect(isSeen(seen, { type: 'gcp-cloudsql', region: 'europe-west1' })).to.equal(false)
  })

  it('counts pools of nodes as unknown, not as none, where groups may not be looked at', async () => {
    const { found, missing } = await scanned(
      but((question) =>
        lists('instanceGroupManagers')(question) ? denied('compute.instanceGroupManagers.list') : undefined,
      ),
    )
    const pool = found.find(({ type }) => type === 'gcp-gke-nodepool')!
    expect(pool).to.not.have.any.keys('unitCount', 'status', 'hourlyRateUSD')
    expect(missing).to.deep.equal(['compute.instanceGroupManagers.list'])
  })

  it('ends where the credentials are taken no more, and has seen nothing', async () => {
    const { fault, seen } = await scanned(
      but((question) => (lists('instances', 3)(question) ? refusing(401, 'authError') : undefined)),
    )
    expect([fault?.code, seen]).to.deep.equal(['credentials_refused', []])
  })

  it('looks at the regions of an account alone, and at what is of none; what it had elsewhere leaves', async () => {
    const { found, seen } = await scanned(world, { of: { ...account, regions: ['us-central1'] } })
    expect(new Set(found.map(({ region }) => region))).to.deep.equal(new Set(['us-central1', 'global', 'eu']))
    const parts: ScanCoverage[] = seen.filter(({ types }) => types.length === 0)
    expect(parts.map(({ outsideOf }) => outsideOf?.slice(0, 2))).to.deep.equal([['us-central1', 'global']])
    expect(['us-central1', 'us-east1', 'global'].map((region) => isSeen(seen, where(region)))).to.deep.equal([
      true,
      true,
      true,
    ])
  })

  it('asks for what is wanted alone, and for what that hangs on', async () => {
    const { found, seen, far } = await scanned(world, { only: new Set(['gcp-vm', 'gcp-cloudsql']) })
    expect(new Set(found.map(({ type }) => type))).to.deep.equal(new Set(['gcp-vm', 'gcp-cloudsql']))
    expect(far.asked.some((one) => /disks|addresses|storage/.test(one))).to.equal(false)
    expect(new Set(seen.flatMap(({ types }) => types))).to.deep.equal(new Set(['gcp-vm', 'gcp-cloudsql']))
  })

  it('deletes nothing wrongly whatever fails: throttling, lost answers and zones that are down', async () => {
    let lossy = 0
    for (let seed = 1; seed <= 8; seed++) {
      const chance = chances(seed)
      const { found, seen, message } = await scanned((question) => {
        const drawn = chance()
        if (drawn < 0.3) return refusing(429, 'rateLimitExceeded')
        if (drawn < 0.36) return { isLost: true }
        if (drawn < 0.4) return refusing(500, 'backendError')
        if (drawn > 0.9 && /aggregated/.test(question.path)) {
          const { items = {}, ...rest } = world(question).body as { items?: Record<string, object> }
          const { 'zones/us-east1-c': _, ...others } = items
          return { body: { ...rest, items: others, unreachables: ['zones/us-east1-c'] } }
        }
        return world(question)
      })
      expect(wronglyDeleted(found, seen), `seed ${seed}`).to.deep.equal([])
      expect(found.length, `seed ${seed}`).to.be.above(0)
      if (message !== undefined && found.length < everything().size) lossy++
    }
    expect(lossy).to.be.above(3)
  })
})

/** The same numbers for the same seed, 0 <= x < 1. */
function chances(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  }
}
