import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { tokens } from '#config/wiring/tokens.ts'
import { waitUntilSettled } from '#config/state/wait-for-ingest.ts'
import { Sender } from '#engine/run/sender.ts'
import type { Event } from '#engine/run/publisher.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { refreshProgress } from '#streams/refresh.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { random } from '#test/harness/load.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const account = 'acct-1'
const hour = 3_600_000
const base = { provider: 'aws', cloudAccountId: account } as const

/** Letters are uids. `at` is when it begins, `took` how long it goes on: what it finds it finds in the middle. Milliseconds. */
interface Scan {
  id: string
  at: number
  took?: number
  found: string
  /** False leaves the message out that opens it. */
  opens?: boolean
}

type Said = [subject: Event['subject'], time: number, data: object[]]

const progress = (refreshId: string, status: 'running' | 'completed', time: number, discovered = 0): Said => [
  refreshProgress as never,
  time,
  [{ ...base, refreshId, status, discovered }],
]
const seen = (uids: string, time: number, refreshId?: string): Said => [
  resourceDiscovered as never,
  time,
  Array.from(uids, (uid) => ({
    ...base,
    resourceUid: uid,
    name: uid,
    type: 'aws-ec2',
    region: 'eu',
    status: 'running',
    tags: { env: 'test' },
    ...(refreshId && { refreshId }),
  })),
]
const gone = (uid: string, time: number): Said => [resourceDeleted as never, time, [{ ...base, resourceUid: uid }]]
const whole = ({ id, at, took = 120_000, found, opens = true }: Scan): Said[] => [
  ...(opens ? [progress(id, 'running', at)] : []),
  seen(found, at + took / 2, id),
  progress(id, 'completed', at + took, found.length),
]

/** An organization whose one account producers feed. Times are milliseconds since 1970. */
class Fed {
  readonly org: Tenant

  constructor(org: Tenant) {
    this.org = org
  }

  /** Publishes all of it in one go, and waits until its effect and what came of it has been committed. */
  async say(...list: Said[]): Promise<void> {
    const { connections, orgId, product } = this.org
    const sender = new Sender(product.get(tokens.publisher), randomUUID)
    for (const [subject, time, data] of list) {
      for (const one of data) await sender.add({ subject, orgId, data: one, time: new Date(time) } as unknown as Event)
      await sender.end()
    }
    await waitUntilSettled(connections, orgId, sender.lanes, () => {})
    for (let i = 0; i < 2; i++) await this.followed()
  }

  /** What actors had to say is on the stream before what is published now; so it has had its effect once that has. */
  private async followed(): Promise<void> {
    const { pool } = this.org.connections.store
    const left = `select count(*)::int as n from outbox where subject like '%' || $1 || '%'`
    await until('an empty outbox', async () => (await pool.query(left, [this.org.orgId])).rows[0].n === 0)
    const sample = { resourceUid: 'none', samples: [{ metric: 'cpu_percent', value: 1, ts: '2026-01-01T00:00:00Z' }] }
    await this.org.publish(metricSample, [sample as never], { place: account })
  }

  /** Uids of what is there now, in order. */
  async present(): Promise<string> {
    const { data } = (await this.org.get('/resources?limit=100')).body
    return data.map(({ uid }: { uid: string }) => uid).join('')
  }

  /** When what is gone went, by uid: as the inventory and as the analysts' view has it, which must be the same. */
  async ended(): Promise<Record<string, number>> {
    const sql = `select uid, deleted_at from resource where org_id = $1 and deleted_at is not null order by uid`
    const { rows } = await this.org.connections.store.pool.query(sql, [this.org.orgId])
    const facts = await this.org.facts(
      `SELECT resource_uid, toUnixTimestamp64Milli(assumeNotNull(deleted_at)) AS at FROM resources
       WHERE org_id = {org:String} AND deleted_at IS NOT NULL ORDER BY resource_uid`,
    )
    const ended = Object.fromEntries(rows.map(({ uid, deleted_at }) => [uid, deleted_at.getTime()]))
    expect(Object.fromEntries(facts.map((row) => [row.resource_uid, Number(row.at)]))).to.deep.equal(ended)
    return ended
  }
}

describe('scans of an account that come late', () => {
  let fed: Fed
  const now = Date.now()
  const ago = (hours: number) => now - hours * hour
  beforeEach(async () => void (fed = new Fed(await tenant())))

  it('leave what the last of them found, and end the rest with the first scan that missed it, when three come at once [DISC-13]', async () => {
    const all = [
      seen('Z', ago(7)),
      ...whole({ id: 's-1', at: ago(6), found: 'ABCDEFGH' }),
      ...whole({ id: 's-2', at: ago(5), found: 'ABDEGHIJK' }),
      ...whole({ id: 's-3', at: ago(4), found: 'ACDEGIJL' }),
    ]
    await fed.say(...all)
    expect(await fed.present()).to.equal('ACDEGIJL')
    const end = (hours: number) => ago(hours) + 120_000
    const ended = { B: end(4), F: end(5), H: end(4), K: end(4), Z: end(6) }
    expect(await fed.ended()).to.deep.equal(ended)
    const changes = await fed.org.facts(
      `SELECT resource_uid AS uid, toUnixTimestamp64Milli(at) AS at FROM resource_change FINAL
       WHERE org_id = {org:String} AND JSONExtractString(details, 'to') = '' ORDER BY uid, at`,
    )
    const told = changes.filter(({ uid }) => uid in ended).map(({ uid, at }) => [uid, Number(at)])
    expect(told).to.deep.equal(Object.entries(ended))

    await fed.say(...all)
    expect([await fed.present(), await fed.ended()], 'after all of it again').to.deep.equal(['ACDEGIJL', ended])
  })

  deepIt('delete nothing that a newer scan found, and end what it missed too', async () => {
    await fed.say(seen('Z', ago(7)))
    await fed.say(...whole({ id: 'new', at: ago(4), found: 'AB' }))
    const ended = { Z: ago(4) + 120_000 }
    expect([await fed.present(), await fed.ended()]).to.deep.equal(['AB', ended])
    await fed.say(seen('Y', ago(7)), ...whole({ id: 'old', at: ago(5), found: 'AZ' }))
    expect([await fed.present(), await fed.ended()]).to.deep.equal(['AB', { ...ended, Y: ago(5) + 120_000 }])
    await fed.say(progress('new', 'completed', ago(4) + 120_000, 2), progress('old', 'completed', ago(5) + 120_000, 2))
    expect([await fed.present(), await fed.ended()]).to.deep.equal(['AB', { ...ended, Y: ago(5) + 120_000 }])
  })

  it('lose no observation that is newer than they are, be it taken before or after, and bring nothing back that was deleted later', async () => {
    await fed.say(seen('ABCD', ago(7)), gone('D', ago(3)))
    await fed.say(seen('A', ago(4)), ...whole({ id: 's-1', at: ago(6), found: 'D' }), seen('B', ago(5)))
    expect(await fed.present()).to.equal('AB')
    expect(await fed.ended()).to.deep.equal({ C: ago(6) + 120_000, D: ago(3) })
    await fed.say(seen('C', ago(5)), seen('D', ago(4)), gone('A', ago(5)), gone('B', ago(4)))
    expect(await fed.present()).to.equal('AC')
    expect(await fed.ended()).to.deep.equal({ B: ago(4), D: ago(3) })
  })

  deepIt('come to the same without the message that opens them', async () => {
    await fed.say(
      seen('Z', ago(7)),
      ...whole({ id: 's-1', at: ago(6), found: 'ABC', opens: false }),
      ...whole({ id: 's-2', at: ago(5), found: 'AC', opens: false }),
      ...whole({ id: 's-3', at: ago(4), found: 'ABD', opens: false }),
    )
    const end = (hours: number) => ago(hours) + 120_000
    expect(await fed.present()).to.equal('ABD')
    expect(await fed.ended()).to.deep.equal({ C: end(4), Z: end(6) })
  })

  deepIt(
    'may take no time at all, and begin when the one before ended: what is found in that moment stays',
    async () => {
      await fed.say(
        seen('Z', ago(7)),
        ...whole({ id: 's-1', at: ago(6), took: 0, found: 'ABC' }),
        ...whole({ id: 's-2', at: ago(5), took: 0, found: 'AC' }),
        ...whole({ id: 's-3', at: ago(5), took: 2, found: 'ABD' }),
      )
      expect(await fed.present()).to.equal('ABD')
      expect(await fed.ended()).to.deep.equal({ C: ago(5) + 2, Z: ago(6) })
      await fed.say(
        progress('s-4', 'running', ago(4)),
        seen('AD', ago(4), 's-4'),
        progress('s-4', 'completed', ago(3), 2),
        progress('s-5', 'running', ago(3)),
        seen('AB', ago(3), 's-5'),
        progress('s-5', 'completed', ago(2), 2),
      )
      expect(await fed.present()).to.equal('AB')
      expect(await fed.ended()).to.deep.equal({ C: ago(5) + 2, D: ago(2), Z: ago(6) })
    },
  )

  deepIt(
    'leave what a producer saw in the very moment they began, and end what was seen the moment before',
    async () => {
      await fed.say(seen('Z', ago(6) - 1), seen('Y', ago(6)), ...whole({ id: 's-1', at: ago(6), found: 'A' }))
      expect([await fed.present(), await fed.ended()]).to.deep.equal(['AY', { Z: ago(6) + 120_000 }])
    },
  )

  deepIt(
    'come to what they say in the order of their times, whatever they find and however close they are',
    async () => {
      const uids = 'ABCDEFGHIJ'
      await Promise.all(
        [1, 2, 3, 4].map(async (seed) => {
          const next = random(seed)
          const scans: Required<Scan>[] = []
          for (let i = 0, at = ago(6); i < 8; i++, at += 2 + Math.floor(next() * 3)) {
            const found = `A${Array.from(uids.slice(1))
              .filter(() => next() < 0.6)
              .join('')}`
            scans.push({ id: `s-${i}`, at, took: 2, found, opens: next() < 0.7 })
          }
          const ended: Record<string, number> = {}
          for (const uid of uids) {
            const missed = scans[scans.findLastIndex(({ found }) => found.includes(uid)) + 1]
            if (missed && missed !== scans[0]) ended[uid] = missed.at + missed.took
          }
          const own = new Fed(await tenant())
          await own.say(...scans.flatMap(whole))
          expect([await own.present(), await own.ended()], `seed ${seed}`).to.deep.equal([scans.at(-1)!.found, ended])
        }),
      )
    },
  )

  deepIt('count in the reports of the days they are of [REP-34]', async () => {
    const day = (n: number) => Date.UTC(2026, 2, n, 12)
    await fed.say(
      ...whole({ id: 's-1', at: day(3), found: 'AB' }),
      ...whole({ id: 's-2', at: day(5), found: 'BC' }),
      ...whole({ id: 's-3', at: day(7), found: 'ABC' }),
      ...whole({ id: 's-4', at: day(9), found: 'A' }),
    )
    const counts = []
    for (let n = 2; n <= 10; n++) {
      const { data } = (
        await fed.org.get(`/reports/tags/env?from=2026-03-${n}&to=2026-03-${n}`.replace(/-(\d)\b/g, '-0$1'))
      ).body
      counts.push(data[0]?.resourceCount ?? 0)
    }
    expect(counts).to.deep.equal([0, 2, 2, 3, 3, 3, 3, 3, 1])
  })
})
