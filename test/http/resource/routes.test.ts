import { expect } from 'chai'
import { routes } from '#http/index.ts'
import type { Services } from '#http/edge/services.ts'
import { problem, scopeOf, served } from '#test/http/serving.ts'
import { statements } from '#test/http/statements.ts'

const at = new Date('2026-01-15T10:00:00Z')

/** As PostgreSQL answers, times as text. */
const row = (uid: string, fields: object = {}) => ({
  cloud_account_id: 'acct-1',
  account: { name: 'Production', provider: 'aws', externalId: '1', isFed: true },
  uid,
  id: `00000000-0000-8000-8000-0000000000${uid.length.toString(16).padStart(2, '0')}`,
  name: `name of ${uid}`,
  type: 'aws-ec2',
  provider: 'aws',
  region: 'us-east-1',
  status: 'running',
  instance_type: 'm5.large',
  size_gb: null,
  unit_count: null,
  parent_uid: '',
  children: 3,
  schedulable: true,
  tags: { env: 'prod' },
  created_at: '2026-01-15 10:00:00+00',
  updated_at: '2026-01-15 15:30:00.25+05:30',
  ...fields,
})

describe('http resources', () => {
  const asked: { where?: any; sql?: string; params?: any }[] = []
  let rows = [row('i-1')]
  let costs: object[] = []
  const questions: object[] = []
  const db = statements((sql, params) => {
    asked.push({ sql, params: [...params] })
    return sql.includes('as "total"') ? [{ total: 250 }] : rows
  })
  const em = {
    getKysely: () => db,
    find: async (_: unknown, where: any) => {
      asked.push({ where })
      return [{ id: 'acct-1', name: 'Production', provider: 'aws', lastSyncedAt: at }]
    },
    execute: async (sql: string, params: any) => {
      asked.push({ sql, params })
      if (sql.includes('array_agg'))
        return [
          {
            types: ['gcp-vm', 'aws-ec2'],
            providers: ['gcp', 'aws'],
            regions: ['', 'eu'],
            statuses: ['pending', 'running'],
          },
        ]
      if (sql.includes('schedulable'))
        return [
          { provider: 'gcp', resources: 1, schedulable: 0 },
          { provider: 'aws', resources: 2, schedulable: 2 },
        ]
      throw new Error('unexpected')
    },
  }
  const counting: Services['counting'] = (_, count) => count()
  const site = served(
    routes,
    scopeOf({
      em,
      counting,
      cloudOf: () => ({ driver: 'simulated' }),
      now: () => at,
      settings: { reportCost: 'billed' },
      analytics: async (_: unknown, question: object) => {
        questions.push(question)
        return costs
      },
    } as unknown as Services),
  )
  const data = async (path: string) => ((await (await site.get(path)).json()) as any).data
  beforeEach(() => {
    asked.length = 0
    rows = [row('i-1')]
  })
  afterEach(() => {
    for (const { where, sql, params } of asked) {
      if (sql?.includes('"r"')) expect(sql).to.include('where "r"."org_id" = $1 and "r"."deleted_at" is null')
      expect(where?.orgId ?? (sql?.includes('"r"') ? params[0] : params.at(-1))).to.equal('o1')
    }
  })

  it('are shown with exactly the fields of the interface [GEN-14] [GEN-17] [RES-01]', async () => {
    expect(await data('/resources')).to.deep.equal([
      {
        id: '00000000-0000-8000-8000-000000000003',
        name: 'name of i-1',
        uid: 'i-1',
        type: 'aws-ec2',
        instanceType: 'm5.large',
        sizeGB: null,
        unitCount: null,
        region: 'us-east-1',
        status: 'running',
        cloudAccountID: 'acct-1',
        cloudAccountName: 'Production',
        cloudAccountDriver: 'simulated',
        provider: 'aws',
        parentUID: '',
        childCount: 3,
        schedulable: true,
        tags: { env: 'prod' },
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.250Z',
      },
    ])
  })
  it('count their children and name their accounts, and what is asked for these, in the statement that reads a whole page [RES-29]', async () => {
    rows = Array.from({ length: 100 }, (_, i) => row('x'.repeat(i + 1)))
    expect(await data('/resources?limit=100')).to.have.length(100)
    expect(asked.filter(({ sql }) => sql)).to.have.length(2)
    expect(asked.filter(({ where }) => where)).to.deep.equal([])
  })
  it('come in pages of 20, at most 100, with the total and links in headers [RES-14] [RES-15]', async () => {
    const r = await site.get('/resources?page=2&limit=1000&region=eu')
    expect(asked[0]?.sql).to.match(/ limit 100 offset \$3$/)
    expect(asked[0]?.params).to.deep.equal(['o1', 'eu', 100])
    expect(r.headers.get('x-total-count')).to.equal('250')
    expect(r.headers.get('link')).to.equal(
      '</resources?page=3&limit=100&region=eu>; rel="next", </resources?page=1&limit=100&region=eu>; rel="prev"',
    )
    await site.get('/resources')
    expect(asked.findLast(({ sql }) => sql?.includes(' limit '))?.params).to.deep.equal(['o1'])
  })
  it('are narrowed by every filter at once, values joined by commas or repeated [RES-11] [RES-12]', async () => {
    await site.get(
      '/resources?type=aws-ec2,cloud-b-vm&provider=cloud-a&provider=gcp&status=running&region=eu,us&cloud_account_id=a&schedulable=false',
    )
    const [page, count] = asked
    const filter =
      'from "resource" as "r" where "r"."org_id" = $1 and "r"."deleted_at" is null and "r"."type" in ($2, $3) and ' +
      '"r"."provider" in ($4, $5) and "r"."status" in ($6) and "r"."region" in ($7, $8) and ' +
      '"r"."cloud_account_id" in ($9) and "r"."schedulable" = $10'
    const values = ['o1', 'aws-ec2', 'gcp-vm', 'aws', 'gcp', 'running', 'eu', 'us', 'a', false]
    expect(page?.sql).to.include(`${filter} order by`)
    expect(page?.params).to.deep.equal(values)
    expect(count).to.deep.equal({ sql: `select count(*)::int as "total" ${filter}`, params: values })
  })
  it('are counted by the same filters [RES-06]', async () => {
    expect(await data('/resources/count?provider=aws&search=web')).to.deep.equal({ count: 250 })
    expect(asked).to.deep.equal([
      {
        sql:
          'select count(*)::int as "total" from "resource" as "r" where "r"."org_id" = $1 and "r"."deleted_at" is null ' +
          'and "r"."provider" in ($2) and ("r"."name" ilike $3 or "r"."uid" ilike $4)',
        params: ['o1', 'aws', '%web%', '%web%'],
      },
    ])
  })
  it('are searched for the characters that were typed, wildcards too [RES-10]', async () => {
    const typed = encodeURIComponent('50%_\\')
    for (const path of ['/resources/count', '/resources']) await site.get(`${path}?search=${typed}`)
    for (const { params } of asked.filter(({ sql }) => sql))
      expect(params.slice(1, 3)).to.deep.equal(['%50\\%\\_\\\\%', '%50\\%\\_\\\\%'])
  })
  it('are sorted by name, type, status, provider or last change, ties by name and id [RES-13]', async () => {
    const order = async (query: string) => {
      asked.length = 0
      await site.get(`/resources?${query}`)
      return /order by (.*) limit/.exec(asked[0]?.sql ?? '')?.[1]
    }
    expect(await order('')).to.equal('"r"."deleted_at" asc, "r"."name" asc, "r"."id" asc')
    expect(await order('sort_by=name&sort_order=desc')).to.equal('"r"."deleted_at" desc, "r"."name" desc, "r"."id" asc')
    for (const by of ['type', 'status', 'provider', 'updated_at']) {
      expect(await order(`sort_by=${by}&sort_order=desc`)).to.equal(`"r"."${by}" desc, "r"."name" asc, "r"."id" asc`)
    }
  })
  it('are sorted by the cost of the last 30 days, for whoever may see it', async () => {
    costs = [{ cloud_account_id: 'acct-1', resource_uid: 'i-1', cost_usd: '12.5' }]
    expect((await site.get('/resources?sort_by=cost_usd&sort_order=desc')).status).to.equal(200)
    const { sql = '', params } = asked.find((one) => one.sql?.includes('order by'))!
    expect(/order by (.*) limit/.exec(sql)?.[1]).to.match(/^coalesce\(.*\) desc, "r"."name" asc, "r"."id" asc$/)
    expect(params).to.include('{"acct-1 i-1":12.5}')
    expect(questions[0]).to.include({ from: '2025-12-17', to: '2026-01-15', limit: 10_000 })
  })
  it('refuse values that a filter does not have, naming the parameter [RES-12] [RES-13] [LIM-05]', async () => {
    for (const [name, value] of [
      ['schedulable', 'maybe'],
      ['sort_by', 'colour'],
      ['sort_order', 'up'],
      ['status', 'running,asleep'],
      ['provider', 'ibm'],
    ]) {
      const r = await site.get(`/resources?${name}=${value}`)
      expect(r.status).to.equal(400)
      const names = new Set((await problem(r))['errors'].map((e: any) => e.name))
      expect([...names]).to.deep.equal([name])
    }
  })
  it('are had by id, which need be no UUID [RES-02]', async () => {
    expect(await data('/resources/00000000-0000-8000-8000-000000000003')).to.include({ uid: 'i-1' })
    for (const id of ['nope', 'counts', "'; drop table resource; --"]) {
      expect((await site.get(`/resources/${encodeURIComponent(id)}`)).status).to.equal(404)
    }
  })
  it('are had by many ids or uids, up to a limit [RES-03] [RES-04] [RES-05]', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, i) => `u${i}`)
    expect(await data('/resources/by-ids?ids=x')).to.deep.equal([])
    expect(await data('/resources/by-uids?uids=i-1,a%2Fb')).to.have.length(1)
    expect(asked[0]?.sql).to.include('"r"."uid" in ($2, $3) order by')
    expect(asked[0]?.params).to.deep.equal(['o1', 'i-1', 'a/b'])
    expect((await site.get(`/resources/by-ids?ids=${ids(200).join(',')}`)).status).to.equal(200)
    expect((await site.get(`/resources/by-ids?ids=${ids(201).join(',')}`)).status).to.equal(400)
    expect((await site.get('/resources/by-ids')).status).to.equal(400)
    expect((await site.get(`/resources/by-uids?uids=${ids(201).join(',')}`)).status).to.equal(400)
    const post = (body: unknown) => site.send('POST', '/resources/by-uids', body)
    expect((await post({ uids: ids(1000) })).status).to.equal(200)
    expect((await post({ uids: ids(1001) })).status).to.equal(400)
    expect((await post({})).status).to.equal(400)
  })
  it('are summed up by provider, in the fixed order [GEN-13] [RES-07]', async () => {
    expect(await data('/resources/discovery-summary')).to.deep.equal({
      totalResources: 3,
      schedulableResources: 2,
      providers: [
        { provider: 'aws', resources: 2, lastSyncedAt: '2026-01-15T10:00:00.000Z' },
        { provider: 'gcp', resources: 1, lastSyncedAt: null },
      ],
    })
    expect(await data('/resources/last-synced')).to.deep.equal([
      { cloudAccountID: 'acct-1', provider: 'aws', lastSyncedAt: '2026-01-15T10:00:00.000Z' },
    ])
  })
  it('tell which values they have, providers and statuses in their own order [GEN-13] [RES-09]', async () => {
    expect(await data('/resources/filter-fields')).to.deep.equal({
      types: ['aws-ec2', 'gcp-vm'],
      providers: ['aws', 'gcp'],
      regions: ['eu'],
      statuses: ['running', 'pending'],
    })
  })
})

describe('http routes', () => {
  it('declare exactly the parameters of their paths', () => {
    for (const { method, path, params } of routes) {
      const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
      expect(Object.keys(params?.properties ?? {}), `${method} ${path}`).to.have.members(named)
    }
  })
  it('are each there once', () => {
    const names = routes.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(names).size).to.equal(names.length)
  })
  it('need view for reading, and the verb of their method for changing', () => {
    const reading = new Set([
      'POST /resources/by-uids',
      'POST /reports/export',
      'POST /allocation/policies/preview',
      'POST /shared-cost/policies/preview',
      'POST /policies/validations',
      'POST /tagging/policies/validations',
      'POST /tagging/policies/preview',
      'POST /provisioning-jobs/estimate',
      'POST /autoscaler-policies/what-if',
      'POST /schedules/next-runs',
      'POST /what-if',
      'POST /event-readiness/preview-readiness',
      'POST /event-readiness/cost-preview',
      // Who reads it says so.
      'POST /recommendations/:recID/viewed',
    ])
    // Who takes back what was said of a record changes the record; who reads the key of a channel could post in its name.
    const changing = new Set([
      'DELETE /reports/anomalies/:anomalyID/review',
      'GET /notifications/channels/:channelID/signing-secret',
    ])
    // Whoever may look may keep how he looks, and be mailed what he sees.
    const own = (path: string) => /^\/(?:saved-views|dashboards)/.test(path)
    for (const { method, path, permission } of routes) {
      const verb = permission.split('.')[1]
      if (verb === undefined) continue
      if (own(path)) {
        expect(verb, `${method} ${path}`).to.equal('view')
        continue
      }
      if (changing.has(`${method} ${path}`)) {
        expect(verb, `${method} ${path}`).to.equal('update')
        continue
      }
      const isRead = method === 'GET' || reading.has(`${method} ${path}`)
      const verbs = isRead
        ? ['view']
        : { POST: ['create', 'update'], PUT: ['update'], PATCH: ['update'], DELETE: ['delete'] }[method]
      expect(verbs, `${method} ${path}`).to.include(verb)
    }
  })
})
