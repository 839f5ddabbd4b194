/**
 * Resources that are found as they were: most of what scans tell. Two organizations are told the same by chance, but that one of
 * them is also told something of no meaning, another thing each time, so that each message of its own has its turns.
 */
import { expect } from 'chai'
import { makePolicy } from '#actors/policy/change.ts'
import { pages } from '#actors/recommendation/sweep/page.ts'
import { taggingDomain } from '#actors/tagging/policy/policy.ts'
import { sweep } from '#actors/tagging/run/sweep.ts'
import { tokens } from '#config/wiring/tokens.ts'
import type { Static } from '#engine/value/schema.ts'
import { powerTold } from '#streams/action/messages.ts'
import { resourceDeleted, resourceDiscovered, resourceLooked } from '#streams/resource/messages.ts'
import { tagLook } from '#streams/tagging.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { amount, sample } from '#test/harness/tier.ts'
import { Random } from '#test/sim/scheduler.ts'

type Found = Static<typeof resourceDiscovered.schema>

const account = 'acct-1'
const uids = ['cluster', 'pool', 'vm-a', 'vm-b', 'vm-c', 'vm-d', 'disk']

/** One of the few ways in which a resource is found; the first of each choice most of the time. */
function someFound(random: Random, uid: string): Found {
  const mostly = <T>(first: T, ...others: T[]): T => (random.chance(0.85) ? first : random.pick(others))
  return {
    resourceUid: uid,
    cloudAccountId: account,
    name: mostly(uid, `shop-prod-${uid}`, `shop-dev-${uid}`),
    type: uid === 'cluster' ? 'aws-eks' : uid === 'pool' ? 'aws-eks-nodegroup' : uid === 'disk' ? 'aws-ebs' : 'aws-ec2',
    provider: 'aws',
    region: 'us-east-1',
    ...(uid === 'pool' && { parentUID: 'cluster' }),
    ...mostly({}, { status: 'running' as const }, { status: 'stopped' as const }),
    ...mostly({}, { instanceType: 'm5.large' }),
    ...mostly({}, { tags: { env: 'prod' } }, { tags: { env: 'dev', team: 'Ada' } }),
    ...(uid.startsWith('vm') && { specs: { vpc_id: mostly('vpc-1', 'vpc-2') } }),
    ...mostly({}, { hourlyRateUSD: 0.1 }),
  }
}

/** What both are told, and in which rounds: a round is a scan of all, or something that is told of one. */
class Telling {
  private readonly random: Random
  private readonly orgs: readonly Tenant[]
  private readonly last = new Map<string, Found>()
  private at = Date.now() - 3_600_000
  private round = 0
  private nonce = 0
  /** Whether something was told last that many a scan makes good. */
  isOdd = false

  constructor(random: Random, orgs: readonly Tenant[]) {
    this.random = random
    this.orgs = orgs
  }

  async tell(): Promise<void> {
    const { random } = this
    this.at += random.pick([0, 1, 1000, 60_000])
    this.round++
    const roll = random.below(100)
    this.isOdd = roll >= 91 || (roll >= 72 && roll < 79)
    if (roll < 72) return this.scan()
    const uid = random.pick(uids)
    const time = new Date(this.at - random.pick([0, 0, 500, 5000]))
    const at = time.toISOString()
    const of = { cloudAccountId: account, resourceUid: uid }
    if (roll < 79) return this.all((org) => org.publish(resourceDeleted, [{ ...of, provider: 'aws' }], { time }))
    if (roll < 82)
      return this.all((org) => org.publish(resourceLooked, [{ ...of, at, status: 'running', specs: {} }], { time }))
    if (roll < 88) return this.power(of, time)
    if (roll < 91) return this.policy(this.round)
    return this.older()
  }

  /** Mostly the same as before; now and then an older one, or two at once. */
  private async scan(): Promise<void> {
    const { random, round } = this
    const refresh = random.chance(0.1) ? {} : { refreshId: `refresh-${round}` }
    const changed = random.chance(0.3) ? random.pick(['cluster', ...uids]) : ''
    const list = uids
      .filter(() => random.chance(0.95))
      .map((uid) => {
        const known = this.last.get(uid)
        const found = known && uid !== changed ? known : someFound(random, uid)
        this.last.set(uid, found)
        return { ...found, ...refresh }
      })
    // What is new has neighbours only behind its commit: it is told by itself, so that it is the same for both.
    const isQuiet = changed === '' && round > 3
    for (const some of isQuiet ? [list] : list.map((one) => [one])) await this.found(some, this.at)
  }

  private async older(): Promise<void> {
    const [uid, found] = this.random.pick([...this.last])
    const other = {
      ...someFound(this.random, uid),
      instanceType: 'c5.large',
      tags: { env: 'staging', n: `${this.round}` },
    }
    await this.found(
      this.random.chance(0.2) ? [other, found] : [other],
      this.at - this.random.pick([1, 1, 400, 30_000]),
    )
  }

  private power(of: { cloudAccountId: string; resourceUid: string }, time: Date): Promise<void> {
    const { random, round } = this
    const shows = random.pick(['starting' as const, 'stopping' as const, null])
    const until = new Date(Date.now() + 900_000).toISOString()
    const told =
      shows === null ? { shows, observed: random.pick(['running' as const, 'stopped' as const]) } : { shows, until }
    const said = { ...of, actionId: `action-${round}`, at: time.toISOString(), n: round, ...told }
    return this.all((org) => org.publish(powerTold, [said], { time }))
  }

  private policy(n: number): Promise<void> {
    const spec = { tagKey: `key${n}`, tagValue: 'value', priority: 1, match: 'all', conditions: [] }
    return this.all(async (org) => {
      await org.connections.orm.em.fork().transactional((em) =>
        makePolicy({ em, orgId: org.orgId, now: () => new Date(), tell: async () => {} } as never, taggingDomain, {
          targetType: 'organisation',
          name: `policy ${n}`,
          spec,
          enabled: true,
        }),
      )
    })
  }

  private found(list: readonly Found[], at: number): Promise<void> {
    const time = new Date(at)
    return this.all((org, nth) => {
      const told = nth === 0 ? list : list.map((one) => ({ ...one, ofNoMeaning: ++this.nonce }))
      return org.publish(resourceDiscovered, told as Found[], { time })
    })
  }

  private async all(tell: (org: Tenant, nth: number) => Promise<unknown>): Promise<void> {
    await Promise.all(this.orgs.map(tell))
  }
}

const questions = {
  // What others have heard of is told apart.
  resource: `select to_jsonb(r) - 'org_id' - 'id' - 'heard_at' as row from resource r where org_id = $1 order by uid`,
  // When it was found last is kept by the resource itself; the rest are times of the lane.
  tagging: `select to_jsonb(r) - 'org_id' - 'id' - 'observed_at' - 'suggested_at' - 'updated_at' - 'accepted_at' - 'rejected_at'
    - 'derived_by' as row from resource_tagging r where org_id = $1 order by uid`,
  // What rules have found, without when.
  audit: `select to_jsonb(r) - 'org_id' - 'observed_at' - 'judged_by' - 'told' - 'outcomes' as row,
      array(select jsonb_object_keys(told) order by 1) as told,
      (select jsonb_object_agg(key, value -> 'o') from jsonb_each(outcomes)) as outcomes
    from resource_audit r where org_id = $1 order by uid`,
  reminders: `select kind, place, key, name from reminder where org_id = $1 order by kind, place, key, name`,
}

async function rowsOf(org: Tenant): Promise<Record<string, unknown>> {
  const all = Object.entries(questions).map(async ([name, sql]) => {
    const { rows } = await org.connections.store.pool.query(sql, [org.orgId])
    return [name, rows] as const
  })
  return Object.fromEntries(await Promise.all(all))
}

/** Both have the same rows, behind all that their lanes have told themselves. */
async function alike([plain, meaningless]: readonly [Tenant, Tenant]): Promise<void> {
  for (const org of [plain, meaningless])
    await org.publish(tagLook, [{ cloudAccountId: account, resourceUid: 'nobody' }])
  const check = async () => {
    const [a, b] = await Promise.all([rowsOf(plain), rowsOf(meaningless)])
    return JSON.stringify(a) === JSON.stringify(b)
  }
  await until('both have the same rows', check).catch(() => {})
  expect(await rowsOf(plain)).to.deep.equal(await rowsOf(meaningless))
}

async function echoesOf({ product }: Tenant): Promise<number> {
  const text = await product.get(tokens.meter).registry.getSingleMetricAsString('tidemark_echoes_total')
  return [...text.matchAll(/^tidemark_echoes_total\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
}

describe('resources that are found as they were', () => {
  it('leave sweeps nothing to tell of them', async () => {
    const org = await tenant()
    const list = ['cluster', 'vm-a', 'disk'].map((resourceUid): Found => {
      return { ...someFound(new Random(1), resourceUid), specs: { vpc_id: 'vpc-1' }, tags: { env: 'prod' } }
    })
    const before = await echoesOf(org)
    for (let n = 0; n < 5; n++) {
      await org.publish(resourceDiscovered, list, { time: new Date(Date.now() - 60_000 + n * 1000) })
      // What is told of neighbours that came with them is told by then.
      await org.publish(tagLook, [{ cloudAccountId: account, resourceUid: 'nobody' }])
    }
    expect((await echoesOf(org)) - before).to.equal(6)
    const reads = org.product.get(tokens.reads)
    const call = { orgId: org.orgId, key: 'sweep', attempt: 1, signal: new AbortController().signal }
    const told: unknown[] = []
    const publisher = { report: async (event: unknown) => void told.push(event) }
    expect(await sweep({ reads, publisher } as never, { whole: false }, call)).to.equal(0)
    expect(told).to.deep.equal([])
    const swept = async () => {
      const all = await Array.fromAsync(pages(reads, { orgId: org.orgId, account }, call))
      return all.flat().map(({ uid, found }) => `${uid}: ${found ? 'behind' : 'heard'}`)
    }
    expect(await swept()).to.deep.equal(['cluster: heard', 'disk: heard', 'vm-a: heard'])
    // What an action shows nobody has seen.
    const until = new Date(Date.now() + 900_000).toISOString()
    const power = { cloudAccountId: account, resourceUid: 'vm-a', actionId: 'a', at: new Date().toISOString(), n: 1 }
    await org.publish(powerTold, [{ ...power, shows: 'stopping', until }])
    expect(await swept()).to.deep.equal(['cluster: heard', 'disk: heard', 'vm-a: heard'])
    // What was seen behind it has.
    const looked = { cloudAccountId: account, resourceUid: 'vm-a', at: new Date().toISOString() }
    await org.publish(resourceLooked, [{ ...looked, instanceType: 'm5.xlarge', specs: {} }])
    expect(await swept()).to.deep.equal(['cluster: heard', 'disk: heard', 'vm-a: behind'])
  })

  for (const seed of sample([1, 2, 3, 4], 1)) {
    it(`are what they would be had each message its turns, whatever is told in between: ${seed} [STREAM-04]`, async function () {
      this.timeout(180_000)
      const orgs = [await tenant(), await tenant()] as const
      const [plain] = orgs
      const telling = new Telling(new Random(seed), orgs)
      const before = await echoesOf(plain)
      const rounds = amount(12, 80, 400)
      for (let n = 0; n < rounds; n++) {
        await telling.tell()
        if (telling.isOdd || n % 5 === 4) await alike(orgs)
      }
      expect((await echoesOf(plain)) - before, 'of some 5 messages a round').to.be.greaterThan(rounds * 0.75)
    })
  }
})
