/**
 * Reports that answer from memory, beside a second edge of the same stores that keeps nothing and a third one that keeps what
 * it was asked itself.
 */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { suggestionDecided } from '#streams/tagging.ts'
import { serve, type Serving } from '#http/edge/serve.ts'
import { chance } from '#streams/cloud/simulated/world/prng.ts'
import { build } from '#config/wiring/container.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { calm } from '#test/harness/chat.ts'
import { answerOf, tenant, until, type Tenant } from '#test/harness/product.ts'
import { amount, isDeep } from '#test/harness/tier.ts'

const days = ['2026-01-03', '2026-01-14', '2026-01-15', '2026-01-28', '2026-02-02']
const uids = ['i-1', 'i-2', 'i-3', 'i-4']
const range = 'from=2026-01-01&to=2026-02-05'
const fewPaths = [
  `/reports/teams?${range}`,
  `/reports/tags/env?${range}`,
  `/reports/snapshots`,
  `/resources/count?tag=env:prod`,
]
const morePaths = (team: string) => [
  `/reports/trends?${range}`,
  `/reports/costs/breakdown?${range}&dims=provider,team_id,tag:env`,
  `/reports/summary?period=2026-01`,
  `/resources/count?search=i-4`,
  `/reports/teams/${team}/resources?${range}`,
  `/reports/costs/resources?${range}`,
  `/reports/providers/summary?${range}`,
  `/resources/count?status=running`,
  `/resources/count?tag=env:test`,
  `/resources/count?tag=env`,
]
const paths = (team: string) => [...fewPaths, ...(isDeep ? morePaths(team) : [])]

describe('answers of reports that are kept', () => {
  let org: Tenant
  let team = ''
  const servings: Serving[] = []
  const others: { none: string; own: string } = { none: '', own: '' }

  before(async () => {
    org = await tenant()
    const { connections } = org
    for (const [name, answerCache] of [
      ['none', 0],
      ['own', 8],
    ] as const) {
      const other = build({ ...connections, settings: { ...connections.settings, answerCache } })
      const serving = await serve(other.get(tokens.edge), { port: 0, host: '127.0.0.1' })
      servings.push(serving)
      others[name] = serving.url
    }
    team = (await made('POST', '/teams', { name: 'Shop' })).id
  })
  after(async () => {
    for (const serving of servings) await serving.close()
  })

  const made = async (method: string, path: string, body: object): Promise<any> => {
    const answer = await org.send(method, path, body)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.within(200, 299)
    return answer.body?.data
  }
  const asked = async (url: string, path: string): Promise<unknown> => {
    const answer = await answerOf(await fetch(url + path, { headers: { Authorization: `Bearer ${org.token}` } }))
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    return answer.body
  }
  const outcomes = async (): Promise<Record<string, number>> => {
    const metric = org.product.get(tokens.meter).registry.getSingleMetric('tidemark_answers_total')!
    const { values } = await metric.get()
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels['outcome']), value]))
  }
  /** All reports at all edges, where nothing is under way any more; at one that keeps answers twice. */
  const compare = (what: string, of = paths(team)): Promise<unknown> =>
    Promise.all(
      of.map(async (path) => {
        const expected = await asked(others.none, path)
        for (const url of [org.url, others.own, org.url])
          expect(await asked(url, path), `${path} ${what}`).to.deep.equal(expected)
      }),
    )
  const bill = (n: number, lineId = `l-${n}`) => {
    const at = (what: string) => chance('kept', what, n)
    const pick = <T>(list: readonly T[], what: string): T => list[Math.floor(at(what) * list.length)]!
    const costUSD = Math.floor(at('cost') * 1_000_000) / 10_000
    const fixed = { provider: 'aws', serviceName: 'Compute', region: 'us-east-1', purchaseType: 'on_demand' } as const
    const exportedAt = new Date(Date.UTC(2026, 1, 6, 0, n)).toISOString()
    const line = { lineId, cloudAccountId: 'acct-1', resourceUid: pick(uids, 'uid'), usageDate: pick(days, 'day') }
    return {
      ...fixed,
      ...line,
      resourceType: 'aws-ec2',
      usageHours: 24,
      costUSD,
      source: 'actual' as const,
      exportedAt,
    }
  }
  const discover = (uid: string, tags: Record<string, string>, name = `name of ${uid}`) =>
    org.publish(resourceDiscovered, [
      {
        resourceUid: uid,
        name,
        type: 'aws-ec2',
        provider: 'aws',
        cloudAccountId: 'acct-1',
        region: 'us-east-1',
        tags,
      },
    ])
  const policy = (domain: string, spec: object) =>
    made('POST', '/policies', { domain, targetType: 'organisation', name: randomUUID(), spec, enabled: true })
  let rule = ''

  /**
   * One change of each kind: `npm test` makes these alone, and looks at those of the few reports, by their places, that the change is of.
   * Where none are named it looks once the next one is made as well.
   */
  const kinds: Readonly<Record<string, readonly number[]>> = {
    'a line of a bill': [0, 1],
    'a resource': [],
    'three resources': [1, 3],
    'a team of resources': [0],
    'teams by rule': [0],
    'a resource whose name says what it is for': [],
    'a tag that people accept': [1, 3],
    'a closed month': [2],
  }
  const changes: readonly [what: string, change: () => Promise<unknown>][] = [
    ['a line of a bill', () => org.publish(billingLine, [bill(1)])],
    [
      'ten lines',
      () =>
        org.publish(
          billingLine,
          Array.from({ length: 10 }, (_, n) => bill(2 + n)),
        ),
    ],
    ['a resource', () => discover('i-1', { env: 'prod' })],
    ['three resources', () => Promise.all(['i-2', 'i-3', 'i-4'].map((uid) => discover(uid, { owner: 'ann' })))],
    ['a restated line', () => org.publish(billingLine, [bill(20, 'l-1')])],
    ['a team of resources', () => made('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-1', 'i-2'] })],
    ['another tag', () => discover('i-1', { env: 'test', owner: 'bo' })],
    [
      'teams by rule',
      async () => {
        const selector = { all: [{ attr: 'res.region', op: 'in', values: ['us-east-1'] }] }
        rule = (await policy('allocation', { priority: 1, selector, team })).id
      },
    ],
    [
      'a resource that is gone',
      () => org.publish(resourceDeleted, [{ resourceUid: 'i-4', provider: 'aws', cloudAccountId: 'acct-1' }]),
    ],
    ['a resource whose name says what it is for', () => discover('i-5', {}, 'web-prod-5')],
    [
      'a tag that people accept',
      () => {
        const decided = { cloudAccountId: 'acct-1', resourceUid: 'i-5', userId: 'u', status: 'accepted' } as const
        return org.product.get(tokens.asker).ask(suggestionDecided, org.orgId, decided, 'accepted-1')
      },
    ],
    ['no rule', async () => expect((await org.send('DELETE', `/policies/${rule}`)).status).to.equal(204)],
    ['another line', () => org.publish(billingLine, [bill(30)])],
    [
      'a closed month',
      () => made('POST', '/internal/jobs/monthly-snapshot/run', { orgId: org.orgId, period: '2026-01' }),
    ],
    ['another team in a closed month', () => made('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-3'] })],
    [
      'shared costs',
      () => {
        const selector = { all: [{ attr: 'line.service', op: 'equals', values: ['compute'] }] }
        return policy('shared-cost', { selector, method: 'even' })
      },
    ],
    [
      'a team that is gone',
      async () => {
        const gone = team
        team = (await made('POST', '/teams', { name: 'Next' })).id
        expect((await org.send('DELETE', `/teams/${gone}`)).status).to.equal(204)
      },
    ],
  ]

  it('are those of now behind whatever changes them, at every edge', async () => {
    await compare('at first')
    for (const [what, change] of changes.filter(([what]) => isDeep || what in kinds)) {
      await change()
      const few = kinds[what]?.map((n) => fewPaths[n]!)
      if (!isDeep && few?.length === 0) continue
      await calm(org)
      await compare(`behind ${what}`, isDeep ? undefined : few)
    }
    const { kept = 0, asked: anew = 0 } = await outcomes()
    expect(kept).to.be.greaterThan(amount(10, 100, 100))
    expect(anew).to.be.greaterThan(amount(8, 50, 50))
    // By an accepted tag, of the resource that has it; in `npm test` the first one still has it of its cloud.
    const count = amount(2, 1, 1)
    expect(await asked(org.url, '/resources/count?tag=env:prod')).to.deep.include({ data: { count } })
    expect((await outcomes())['kept']).to.equal(kept + 1)
  }).timeout(300_000)

  it('stand while days wait to be worked out, and are none while they turn over', async () => {
    const { store } = org.connections
    const mark = { projection: 'cost-day', orgId: org.orgId, key: 'acct-1|2026-01-03' }
    const told = async (outcome: string): Promise<number> => {
      const before = (await outcomes())[outcome] ?? 0
      await asked(org.url, `/reports/trends?${range}`)
      return ((await outcomes())[outcome] ?? 0) - before
    }
    await asked(org.url, `/reports/trends?${range}`)
    // Of a lane that nobody has, so that nobody works on it.
    const made = 'insert into mark (projection, org_id, key, lane, stamp) values ($1, $2, $3, 9999, 1)'
    await store.pool.query(made, Object.values(mark))
    const all = await told('kept')
    expect([await told('passed'), await told('asked')]).to.deep.equal([0, 0])
    await store.turnOver([mark], '1')
    const passed = await told('passed')
    expect(passed).to.be.greaterThan(1)
    expect(await told('kept')).to.equal(all - passed)
    await store.unmark([mark], '1')
    expect(await told('asked')).to.be.greaterThan(0)
    expect(await told('kept')).to.be.greaterThan(0)
  })

  it('are kept again though a commit marks anew what has just turned over', async () => {
    const { store } = org.connections
    const { pool } = store
    const mark = { projection: 'cost-day', orgId: org.orgId, key: 'acct-1|2026-01-14' }
    const of = [mark.projection, mark.orgId, mark.key]
    await pool.query(
      'insert into mark (projection, org_id, key, lane, stamp, turning) values ($1, $2, $3, 9999, 1, 1)',
      of,
    )
    const commit = await pool.connect()
    try {
      await commit.query('begin')
      await commit.query('update mark set stamp = 2 where (projection, org_id, key) = ($1, $2, $3)', of)
      const unmarked = store.unmark([mark], '1')
      await until('it waits for the commit', async () => {
        const { rows } = await pool.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'with locked%' and datname = current_database()`,
        )
        return rows.length > 0
      })
      await commit.query('commit')
      await unmarked
    } finally {
      commit.release()
    }
    const { rows } = await pool.query(
      'select stamp, turning from mark where (projection, org_id, key) = ($1, $2, $3)',
      of,
    )
    expect(rows).to.deep.equal([{ stamp: '2', turning: '0' }])
    await store.unmark([mark], '2')
  })
})
