import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { ClickHouseClient } from '@clickhouse/client'
import { recomputeCostDays } from '#analytics/cost-rollup.ts'
import { run } from '#analytics/query.ts'
import { reports } from '#http/report/index.ts'
import type { Services } from '#http/route.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { caller, problem, served } from '#test/http/serving.ts'
import { statements } from '#test/http/statements.ts'

export interface ReportWorld {
  readonly org: string
  /** Puts rows into cost_fact and works their days out. */
  readonly bill: (...facts: ReturnType<typeof fact>[]) => Promise<void>
  /** A line of a bill, as `fact`, of this organization. */
  readonly line: (
    lineId: string,
    cost: string | number,
    more?: Readonly<Record<string, unknown>>,
  ) => ReturnType<typeof fact>
  readonly insert: (table: string, rows: readonly object[]) => Promise<void>
  /** The payload of a report. */
  readonly data: (path: string) => Promise<any>
  /** The errors of a refused request, as `<name>: <code>`. */
  readonly refused: (path: string) => Promise<string[]>
}

let generation = 0

/** The report routes over the real ClickHouse, with an inventory of nothing, on 2026-01-20; a fresh organization a test. */
export function reportWorld(settings: Partial<Services['settings']> = {}): ReportWorld {
  let org = ''
  let ch: ClickHouseClient
  const accounts = [{ id: 'acct-1', name: 'Production' }]
  const inventory = statements(() => [{ total: 0 }])
  const services = () =>
    ({
      em: { find: async () => accounts, getKysely: () => inventory },
      analytics: (q: never, params: object) => run(ch, q, { ...params, org } as never),
      now: () => new Date('2026-01-20T12:00:00Z'),
      settings: { reportCost: 'billed', ...settings },
    }) as unknown as Services
  const site = served(reports, {
    caller: async () => ({ ...caller('viewer'), orgId: org }),
    services,
  })
  before(async () => void (ch = await testClickHouse()))
  beforeEach(() => void (org = `org-${randomUUID()}`))
  const insert = async (table: string, values: readonly object[]) =>
    void (await ch.insert({ table, values: [...values], format: 'JSONEachRow' }))
  return {
    get org() {
      return org
    },
    insert,
    line: (lineId, cost, more) => fact(org, lineId, cost, more),
    async bill(...facts) {
      await insert('cost_fact', facts)
      const days = facts.map((f) => ({ orgId: org, cloudAccountId: String(f.x_CloudAccountId), day: String(f.x_Day) }))
      await recomputeCostDays(ch, days, String(++generation))
    },
    async data(path) {
      const response = await site.get(path)
      const body = (await response.json()) as any
      expect(response.status, JSON.stringify(body)).to.equal(200)
      return body.data
    },
    async refused(path) {
      const response = await site.get(path)
      expect(response.status).to.equal(400)
      return (await problem(response))['errors'].map((e: { name: string; code: string }) => `${e.name}: ${e.code}`)
    },
  }
}
