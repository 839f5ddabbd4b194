import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { ClickHouseClient } from '@clickhouse/client'
import { recomputeCostDays, type Rollup } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import type { CostDay } from '#analytics/rollup/day-batch.ts'
import type { QueryRunner } from '#analytics/attribution/sharing.ts'
import { run, stream } from '#analytics/store/query.ts'
import { Fault } from '#engine/value/fault.ts'
import { everything, type ReportScope } from '#http/identity/organization/role.ts'
import { anomalyDetails } from '#http/anomaly/detail.ts'
import { withMoney } from '#http/edge/parameter/money.ts'
import { reports } from '#http/report/index.ts'
import type { RequestScope } from '#http/edge/edge.ts'
import type { Services } from '#http/edge/services.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { isDeep } from '#test/harness/tier.ts'
import { caller, problem, served } from '#test/http/serving.ts'
import { statements } from '#test/http/statements.ts'

export interface ReportWorld {
  readonly org: string
  /** Puts rows into cost_fact and works their days out. */
  readonly bill: (...facts: ReturnType<typeof fact>[]) => Promise<void>
  /**
   * The test, in an organization of its own with these lines. Those of all tests of a world are put in and worked out together, before the
   * first: a test that bills them itself pays for the work alone.
   */
  readonly billed: (lines: () => ReturnType<typeof fact>[], test: () => Promise<void>) => () => Promise<void>
  /** The same for tests that only read it: what it returns moves the rest of a test there. */
  readonly planted: (lines: () => ReturnType<typeof fact>[]) => () => void
  /** A line of a bill, as `fact`, of this organization. */
  readonly line: (
    lineId: string,
    cost: string | number,
    more?: Readonly<Record<string, unknown>>,
  ) => ReturnType<typeof fact>
  readonly insert: (table: string, rows: readonly object[]) => Promise<void>
  /** Computes days of acct-1 again, as if it were `now`. */
  readonly restate: (day: string | readonly string[], now: Date) => Promise<void>
  /** The same, by a process that dies when it has written all but what publishes it. */
  readonly dieBeforePublishing: (day: string, now: Date) => Promise<void>
  /**
   * For the rest of the test, the organization that `plant` filled, which tests of this file that name the same `plant` share: they only
   * read it.
   */
  readonly shared: (plant: () => Promise<unknown>) => Promise<void>
  /** A resource of the inventory in acct-1, there since 2026-01-01. */
  readonly discovered: (uid: string, more?: Readonly<Record<string, unknown>>) => Promise<void>
  /** A team of this name; `deleted` 1 is how it ends. */
  readonly team: (id: string, name: string, deleted?: 0 | 1) => Promise<void>
  /** Moves resources to a team; '' to none. */
  readonly assign: (teamId: string, ...uids: string[]) => Promise<void>
  /** For the rest of the test, who asks sees only this. */
  readonly seeOnly: (scope: Partial<ReportScope>) => void
  /** For the rest of the test, this question fails. */
  readonly fail: (query: string) => void
  /** The payload of a report. */
  readonly data: (path: string) => Promise<any>
  /** What the report says its figures are of. */
  readonly meta: (path: string) => Promise<any>
  /** The headers Deprecation and Link of an answer. */
  readonly deprecation: (path: string) => Promise<(string | null)[]>
  /** The errors of a refused request, as `<name>: <code>`. */
  readonly refused: (path: string) => Promise<string[]>
  /** The problem that a refused request answers with, its status among it. */
  readonly problem: (path: string) => Promise<Record<string, unknown>>
  /** The code of an answer with 404. */
  readonly missing: (path: string) => Promise<string>
}

/** What report routes need, over the real ClickHouse: one account, no resources, on 2026-01-20, unless `more` says otherwise. */
export function reportServices(
  ch: ClickHouseClient,
  org: string,
  more: object = {},
  rows: readonly object[] = [{ total: 0 }],
): Services {
  const inventory = statements(() => [...rows])
  return {
    em: { find: async () => [{ id: 'acct-1', name: 'Production' }], getKysely: () => inventory },
    analytics: (q: never, params: object) => run(ch, q, { ...params, org } as never),
    sums: async () => undefined,
    keptFrom: async () => undefined,
    counting: (_: unknown, count: () => unknown) => count(),
    stream: (q: never, params: object) => stream(ch, q, { ...params, org } as never),
    now: () => new Date('2026-01-20T12:00:00Z'),
    settings: { reportCost: 'billed', reportSavings: 'reported' },
    ...more,
  } as unknown as Services
}

/** Asks ClickHouse a question of a report. */
type Ask = (q: { name: string }, params: object) => Promise<unknown[]>

/** The questions that every report asks for its meta, each with an answer that says that nothing is billed, or nothing estimated. */
const ofMeta: Readonly<Record<string, object>> = {
  cost_freshness: { through: '', updated_on: '' },
  estimated_days: { first_day: '', last_day: '' },
}

/**
 * `ask` for a test that reads the payload of a report alone: what only its meta needs is not asked, for that is half of the time a report
 * takes. The deep tier asks everything.
 */
export const askForPayload =
  (ask: Ask, unread: readonly string[] = Object.keys(ofMeta)): Ask =>
  async (q, params) =>
    !isDeep && unread.includes(q.name) ? [ofMeta[q.name]!] : ask(q, params)

/** Headers of a request whose meta nobody reads: services that look at them take `askUnread`. */
export const payloadHeaders = (path: string): Record<string, string> => ({
  // Costs over time show what is estimated in their payload too.
  'x-unread': path.includes('/costs/series') ? 'cost_freshness' : Object.keys(ofMeta).join(),
})

/** `ask`, but for what the headers of the request say that nobody reads. */
export const askUnread = (ask: Ask, headers: Readonly<Record<string, unknown>>): Ask =>
  askForPayload(ask, typeof headers['x-unread'] === 'string' ? headers['x-unread'].split(',') : [])

/** `reportServices` for a test that reads payloads alone, as `askForPayload`. */
export function payloadServices(ch: ClickHouseClient, org: string, more: object = {}): Services {
  const analytics = askForPayload((q, params) => run(ch, q as never, { ...params, org } as never))
  return reportServices(ch, org, { analytics, ...more })
}

/** `ask`, once for each question until `forget`: what nobody writes to does not change. */
export function remembering(ask: Ask): { ask: Ask; forget: () => void } {
  const answers = new Map<string, Promise<unknown[]>>()
  return {
    forget: () => answers.clear(),
    async ask(q, params) {
      const key = `${q.name} ${JSON.stringify(params)}`
      const answer = answers.get(key) ?? ask(q, params)
      answers.set(key, answer)
      // Whoever asked may change the rows.
      return structuredClone(await answer)
    },
  }
}

/** Generations and versions: each is above all before it. */
let generation = 0

/** The report routes over the real ClickHouse, with an inventory of nothing, or one that answers `rows` to whatever it is asked, on 2026-01-20 or `now`; a fresh organization a test. Its questions are asked with what `bring` finds. */
export function reportWorld(
  settings: Partial<Services['settings']> = {},
  now = () => new Date('2026-01-20T12:00:00Z'),
  rows?: readonly object[],
  bring: (ask: QueryRunner, org: string) => Promise<object> = async () => ({}),
): ReportWorld {
  let org = ''
  let reportScope = everything
  let failing = ''
  /** Organizations that tests share, by what filled them. */
  const worlds = new Map<() => Promise<unknown>, Promise<string>>()
  let ch: ClickHouseClient
  const known = remembering((q, params) => run(ch, q as never, params as never))
  const services: RequestScope['services'] = (_, { headers }) => {
    const all: Ask = async (q, params) => {
      if (q.name === failing) throw Fault.transient('unavailable', 'The store is busy.')
      return known.ask(q, { ...params, org, ...(await bring((one, given) => run(ch, one, given), org)) })
    }
    const analytics = askUnread(all, headers)
    const chosen = { reportCost: 'billed', reportSavings: 'reported', ...settings }
    return reportServices(ch, org, { analytics, now, settings: chosen }, rows)
  }
  const site = served([...reports, ...anomalyDetails].map(withMoney), {
    caller: async () => ({ ...caller('viewer'), orgId: org, reportScope }),
    services,
  })
  const plants: { org: string; lines: () => ReturnType<typeof fact>[] }[] = []
  before(async () => {
    ch = await testClickHouse()
    const facts = plants.flatMap((plant) => {
      org = plant.org
      return plant.lines()
    })
    if (facts.length > 0) await putBills(facts)
  })
  beforeEach(() => {
    org = `org-${randomUUID()}`
    reportScope = everything
    failing = ''
  })
  const insert = async (table: string, values: readonly object[]) => {
    await ch.insert({ table, values: [...values], format: 'JSONEachRow' })
    known.forget()
  }
  const recompute = async (days: readonly CostDay[], how: Rollup = {}) => {
    await recomputeCostDays(ch, days, String(++generation), how)
    known.forget()
  }
  const putBills = async (facts: readonly ReturnType<typeof fact>[]) => {
    await insert('cost_fact', facts)
    const dayOf = (f: (typeof facts)[number]) => ({ cloudAccountId: String(f.x_CloudAccountId), day: String(f.x_Day) })
    await recompute(facts.map((f) => ({ orgId: f.x_OrgId, ...dayOf(f) })))
  }
  const planted: ReportWorld['planted'] = (lines) => {
    const plant = { org: `org-${randomUUID()}`, lines }
    plants.push(plant)
    return () => void (org = plant.org)
  }
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const response = await site.get(path, headers)
    const body = (await response.json()) as any
    expect(response.status, JSON.stringify(body)).to.equal(200)
    return body
  }
  return {
    get org() {
      return org
    },
    insert,
    seeOnly: (scope) => void (reportScope = { all: false, cloudAccountIDs: [], teamIDs: [], ...scope }),
    fail: (query) => void (failing = query),
    async restate(which, at) {
      const days = [which].flat().map((day) => ({ orgId: org, cloudAccountId: 'acct-1', day }))
      await recompute(days, { now: at })
    },
    async shared(plant) {
      const filled = worlds.get(plant) ?? plant().then(() => org)
      worlds.set(plant, filled)
      org = await filled
    },
    async dieBeforePublishing(day, at) {
      const died = new Error('died')
      const dying = { query: ch.query.bind(ch), command: ch.command.bind(ch), insert: () => Promise.reject(died) }
      const days = [{ orgId: org, cloudAccountId: 'acct-1', day }]
      const run = recomputeCostDays(dying as unknown as ClickHouseClient, days, String(++generation), { now: at })
      expect(await run.catch((error: unknown) => error)).to.equal(died)
      known.forget()
    },
    async discovered(resource_uid, more = {}) {
      const [cloud_account_id, at, x_Version] = ['acct-1', '2026-01-01 00:00:00.000', String(++generation)]
      const state = { org_id: org, cloud_account_id, resource_uid, first_seen_at: at, observed_at: at, x_Version }
      await insert('resource_state', [{ ...state, ...more }])
    },
    team: (team_id, name, deleted = 0) =>
      insert('team_state', [{ org_id: org, team_id, name, deleted, x_Version: String(++generation) }]),
    assign(team_id, ...uids) {
      const [assigned_at, x_Version] = ['2026-01-01 00:00:00.000', String(++generation)]
      const rows = uids.map((resource_uid) => ({ org_id: org, resource_uid, team_id, assigned_at, x_Version }))
      return insert('team_assignment', rows)
    },
    line: (lineId, cost, more) => fact(org, lineId, cost, more),
    bill: (...facts) => putBills(facts),
    planted,
    billed(lines, test) {
      const move = planted(lines)
      return async () => {
        move()
        await test()
      }
    },
    async data(path) {
      return (await read(path, payloadHeaders(path))).data
    },
    async meta(path) {
      return (await read(path)).meta
    },
    async deprecation(path) {
      const { headers } = await site.get(path)
      return [headers.get('deprecation'), headers.get('link')]
    },
    async refused(path) {
      const response = await site.get(path)
      expect(response.status).to.equal(400)
      return (await problem(response))['errors'].map((e: { name: string; code: string }) => `${e.name}: ${e.code}`)
    },
    problem: async (path) => (await problem(await site.get(path))) as Record<string, unknown>,
    async missing(path) {
      const response = await site.get(path)
      expect(response.status).to.equal(404)
      return (await problem(response))['code']
    },
  }
}
