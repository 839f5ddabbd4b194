import { expect } from 'chai'
import { t } from '#engine/value/schema.ts'
import { edge } from '#http/edge/edge.ts'
import { within } from '#http/edge/inner-request.ts'
import type { Limits } from '#http/edge/limit/limit.ts'
import { route, type Route } from '#http/edge/route.ts'
import { kindNames } from '#http/search/kinds.ts'
import { searches } from '#http/search/routes.ts'
import { routes } from '#http/index.ts'
import { caller, problem, scopeOf, served } from '#test/http/serving.ts'

let asked: string[] = []

/** A list of the API with rows of the test, under the permission and the parameters of the real one. */
function listOf(path: string, rows: unknown): Route {
  const real = routes.find((one) => one.method === 'GET' && one.path === path)!
  const { permission, query } = real
  return route({
    method: 'GET',
    path,
    summary: path,
    permission,
    query: query ?? t.Object({}),
    reply: t.Unknown(),
    handle: async ({ url }) => {
      asked.push(url)
      if (rows instanceof Error) throw rows
      return rows
    },
  })
}

const page = (...items: object[]) => ({ items, total: items.length, page: 1, limit: 50, hasMore: false })

const lists = [
  listOf('/resources', [
    { id: '1', uid: 'i-1', name: 'big-shop', type: 'aws-ec2', cloudAccountName: 'Production' },
    { id: '2', uid: 'i-2', name: 'Shop', type: 'aws-ec2', cloudAccountName: 'Production' },
    { id: '3', uid: 'shop-3', name: '', type: 'aws-ebs', cloudAccountName: '' },
    { id: '4', uid: 'i-4', name: 'workshop', type: 'aws-ec2', cloudAccountName: 'Test' },
    { id: '5', uid: 'i-5', name: 'shop-web', type: 'aws-ec2', cloudAccountName: 'Test' },
    { id: '6', uid: 'i-shop', name: 'db', type: 'aws-rds', cloudAccountName: 'Test' },
  ]),
  listOf('/teams', page({ id: 't-1', name: 'Shop' })),
  listOf('/resource-groups', page({ id: 'g-1', name: 'Web shops' })),
  listOf('/cloud-accounts', new Error('broken')),
  listOf('/reports/tags', page({ tagKey: 'env' }, { tagKey: 'shop' })),
  listOf('/budgets', [
    { id: 'b-1', scope: { kind: 'team', id: 't-1', name: 'Shop' } },
    { id: 'b-2', scope: { kind: 'team', id: 't-2', name: 'Search' } },
    { id: 'b-3', scope: { kind: 'resource_group', id: 'g-1', name: 'Web shops' } },
  ]),
  listOf('/recommendations', page({ id: 'r-1', title: 'Stop shop-web', resourceName: 'shop-web', status: 'open' })),
  listOf('/reports/anomalies', page({ id: 'a-1', label: 'shop-web', date: '2026-01-30', rootCause: 'more hours' })),
  listOf('/schedules', page()),
  listOf('/autoscaler-policies', page()),
  listOf('/event-readiness', page()),
  listOf('/unit-metrics', page()),
  listOf('/dashboards', [{ id: 'd-1', name: 'Shop of Mondays' }]),
  listOf('/saved-views', [{ id: 's-1', name: 'Shop by day', view: 'costs' }]),
  listOf('/members', [{ userID: 'u-1', name: 'Ana Shopper', email: 'ana@example.com' }]),
]

describe('search', () => {
  let taken = 0
  const limiter = {
    take: async () => {
      taken++
      return { isAllowed: true, remaining: 9, retryAfter: 0, resetAt: 0 }
    },
    isOpen: () => true,
  } as unknown as Limits
  const options = { limits: { limiter, rates: { caller: { perMinute: 60 } } as never } }
  const now = () => new Date('2026-01-31T12:00:00Z')
  /** The site as people of a role have it. */
  const siteOf = (role: 'owner' | 'viewer') => {
    const scope = scopeOf({ now }, caller(role))
    const app = edge(lists, scope, options)
    return served([...lists, ...searches(within(() => app))], scope, options)
  }
  const owners = siteOf('owner')
  const viewers = siteOf('viewer')
  beforeEach(() => {
    asked = []
    taken = 0
  })
  const found = async (query: string, of = owners): Promise<any> =>
    (await (await of.get(`/search?${query}`)).json()).data

  it('finds what has the text in its name, by kind in a fixed order, and says what could not be searched', async () => {
    const { items, forbidden, failed } = await found('q=shop&limit=2')
    expect(items).to.deep.equal([
      { kind: 'resource', id: 'i-2', title: 'Shop', detail: 'aws-ec2 · Production' },
      { kind: 'resource', id: 'shop-3', title: 'shop-3', detail: 'aws-ebs' },
      { kind: 'team', id: 't-1', title: 'Shop', detail: '' },
      { kind: 'resource_group', id: 'g-1', title: 'Web shops', detail: '' },
      { kind: 'tag', id: 'shop', title: 'shop', detail: '' },
      { kind: 'budget', id: 'b-1', title: 'Shop', detail: 'team' },
      { kind: 'budget', id: 'b-3', title: 'Web shops', detail: 'resource group' },
      { kind: 'recommendation', id: 'r-1', title: 'Stop shop-web', detail: 'shop-web · open' },
      { kind: 'anomaly', id: 'a-1', title: 'shop-web', detail: '2026-01-30 · more hours' },
      { kind: 'dashboard', id: 'd-1', title: 'Shop of Mondays', detail: '' },
      { kind: 'saved_view', id: 's-1', title: 'Shop by day', detail: 'costs' },
      { kind: 'person', id: 'u-1', title: 'Ana Shopper', detail: 'ana@example.com' },
    ])
    expect([forbidden, failed]).to.deep.equal([[], ['cloud_account']])
  })

  it('ranks the name itself, its beginning, the beginning of a word, then the rest; equal ones as their list has them', async () => {
    const { items } = await found('q=SHOP&kinds=resource&limit=20')
    expect(items.map(({ id }: { id: string }) => id)).to.deep.equal(['i-2', 'shop-3', 'i-5', 'i-1', 'i-4', 'i-shop'])
  })

  it('leaves out kinds whose list the role does not include, and names them', async () => {
    const { items, forbidden } = await found('q=shop', viewers)
    expect(forbidden).to.deep.equal(['person'])
    expect(items.map(({ kind }: { kind: string }) => kind))
      .to.include('resource')
      .and.not.include('person')
  })

  it('asks the lists that have a search for the text, and others for the last 30 days', async () => {
    await found('q=a%20%26b&kinds=team,tag')
    expect(asked.toSorted()).to.deep.equal([
      '/reports/tags?from=2026-01-02&to=2026-01-31&limit=100',
      '/teams?search=a+%26b&limit=50',
    ])
  })

  it('counts as one request', async () => {
    await found('q=shop')
    expect([asked.length, taken]).to.deep.equal([kindNames.length, 1])
  })

  it('needs 2 characters and known kinds', async () => {
    for (const query of ['q=s', 'q=%20%20', 'q=shop&kinds=everything', 'kinds=team'])
      expect((await problem(await owners.get(`/search?${query}`)))['code']).to.equal('validation_failed')
  })
})
