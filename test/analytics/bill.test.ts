import { randomUUID } from 'node:crypto'
import type { ClickHouseClient, TupleParam } from '@clickhouse/client'
import { expect } from 'chai'
import { isAsShown, isOfTheSame, type ShownBill, type ShownBills } from '#analytics/billing/bill.ts'
import { sweepBills, type StoredExport } from '#analytics/rollup/bill-sweep/bill-sweep.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { sample } from '#test/harness/tier.ts'

const days = ['2026-01-14', '2026-01-15', '2026-01-16']

const line = (org: string, id: string, day: string, cost: string, more: object = {}) =>
  fact(org, id, cost, { x_Day: day, ...more })
const bill = (exportId: string, period = '2026-01', from = days[0]!, to = days[2]!): ShownBill => ({
  exportId,
  period,
  from,
  to,
  isComplete: true,
})

/** An organization, and what is to be seen of it. */
class Place {
  readonly org = `org-${randomUUID()}`
  private readonly ch: ClickHouseClient

  constructor(ch: ClickHouseClient) {
    this.ch = ch
  }

  one(id: string, day: string, cost: string, more: object = {}) {
    return line(this.org, id, day, cost, more)
  }

  alone(values: object[], x_Lone = 1) {
    return this.ch.insert({
      table: 'cost_fact',
      format: 'JSONEachRow',
      values: values.map((v) => ({ ...v, x_Lone })),
    })
  }

  exported(x_ExportId: string, values: object[], x_BillingPeriod = '2026-01') {
    return this.ch.insert({
      table: 'bill_line',
      format: 'JSONEachRow',
      values: values.map((v) => ({ ...v, x_ExportId, x_BillingPeriod })),
    })
  }

  async rows(sql: string, more: object = {}): Promise<string[]> {
    const result = await this.ch.query({
      query: sql,
      query_params: { org: this.org, ...more },
      format: 'JSONCompactEachRow',
    })
    return (await result.json<unknown[]>()).map((row) => row.join(' '))
  }

  private costs(view: string) {
    return this.rows(
      `SELECT toString(day), service_name, toString(sum(billed_cost)), toString(sum(list_cost)) FROM ${view}
       WHERE org_id = {org:String} GROUP BY day, service_name ORDER BY day, service_name`,
    )
  }

  /** By day: of what the sums are made, and of what lines say. */
  async sumsAndLines(): Promise<[string[], string[]]> {
    expect(await this.costs('usage_daily'), 'what was used').to.deep.equal(await this.costs('cost_daily'))
    return [
      await this.rows(
        'SELECT toString(day), toString(sum(billed_cost)), sum(lines) FROM cost_daily WHERE org_id = {org:String} GROUP BY day ORDER BY day',
      ),
      await this.rows(
        'SELECT toString(x_Day), toString(sum(BilledCost)), count() FROM cost_lines WHERE x_OrgId = {org:String} GROUP BY x_Day ORDER BY x_Day',
      ),
    ]
  }
}

const hour = 3_600_000
const february = { BillingPeriodStart: '2026-02-01 00:00:00' }
const tagged = (env: string) => ({ ResourceId: 'r', Tags: env === '' ? {} : { env } })
const both = (...found: string[]): [string[], string[]] => [found, found]

interface Case {
  readonly title: string
  plant(at: Place): Promise<unknown>
  /** What is shown, run by run, an hour after another. */
  readonly shown: readonly (readonly ShownBill[])[]
  see(at: Place): Promise<unknown>
  /** What is seen after each run. */
  readonly seen: readonly unknown[]
}
/** Each in an organization of its own: a run takes as long of one as of all. */
const cases: readonly Case[] = [
  {
    title: 'count while their export is shown, beside lines that came alone; sums and lines turn over together',
    plant: async (at) => {
      await at.alone([at.one('solo', '2026-01-15', '1')])
      await at.exported('e1', [at.one('a', '2026-01-14', '10'), at.one('b', '2026-01-15', '20')])
      await at.exported('e2', [at.one('c', '2026-01-15', '200'), at.one('d', '2026-01-16', '400')])
    },
    shown: [[], [bill('e1')], [bill('e2')]],
    see: (at) => at.sumsAndLines(),
    seen: [
      both('2026-01-15 1 1'),
      both('2026-01-14 10 1', '2026-01-15 21 2'),
      both('2026-01-15 201 2', '2026-01-16 400 1'),
    ],
  },
  {
    title: 'take the place of the lines of their period from before exports were known, and of no others',
    plant: async (at) => {
      await at.alone([at.one('old', '2026-01-15', '7'), at.one('late', '2026-01-16', '3', february)], 0)
      await at.exported('e1', [at.one('a', '2026-01-14', '10')])
    },
    shown: [[], [bill('e1')]],
    see: (at) => at.sumsAndLines(),
    seen: [both('2026-01-15 7 1', '2026-01-16 3 1'), both('2026-01-14 10 1', '2026-01-16 3 1')],
  },
  {
    title: 'of several periods count on one day together, and estimates give way to actual lines whichever came how',
    plant: async (at) => {
      await at.exported('e1', [at.one('a', '2026-01-15', '10', { ResourceId: 'r', x_Source: 'estimate' })])
      await at.exported('f1', [at.one('a', '2026-01-15', '40', { ResourceId: 'q' })], '2026-02')
      await at.alone([at.one('x', '2026-01-15', '5', { ResourceId: 'r' })])
    },
    shown: [[bill('e1'), bill('f1', '2026-02')]],
    see: async (at) => [
      await at.sumsAndLines(),
      await at.rows(`SELECT toString(day), arrayStringConcat(arrayMap(b -> concat(b.1, '/', b.2), bills), ' ')
        FROM cost_day FINAL WHERE org_id = {org:String} ORDER BY day`),
    ],
    seen: [[both('2026-01-15 45 2'), days.map((day) => `${day} 2026-01/e1 2026-02/f1`)]],
  },
  {
    title: 'give the tags of the export that is shown, and none once it has none',
    plant: async (at) => {
      const of = (id: string, env: string) => [
        at.one('a', '2026-01-14', '10', tagged(env)),
        at.one(id, '2026-01-15', '10', tagged(env)),
      ]
      await at.exported('e1', of('a', 'old'))
      await at.exported('e2', of('b', 'new'))
      await at.exported('e3', of('c', ''))
    },
    shown: [[bill('e1')], [bill('e2')], [bill('e3')]],
    see: (at) => at.rows(`SELECT tag_key, tag_value FROM resource_tags(org = {org:String}) ORDER BY tag_key`),
    seen: [['env old'], ['env new'], []],
  },
  {
    title: 'say with each day which of them its sums are made of, now and before',
    plant: async (at) => {
      for (const [n, id] of ['e1', 'e2', 'e3'].entries())
        await at.exported(id, [at.one('a', '2026-01-14', `${n + 1}0`)])
    },
    shown: [[bill('e1')], [bill('e2')], [bill('e3')]],
    // A second after each run so far, and of now.
    see: async (at) => {
      const standing = (as_of: string) =>
        at.rows(
          `SELECT x_ExportId, toString(sum(BilledCost)) FROM cost_lines_at(org = {org:String}, from = '2026-01-14', to = '2026-01-16',
             as_of = {as_of:String}) GROUP BY x_ExportId`,
          { as_of },
        )
      const found: string[][] = []
      for (const n of [0, 1, 2]) found.push(await standing(new Date(base + n * hour + 1000).toISOString()))
      return [...found, await standing('')]
    },
    seen: [
      [['e1 10'], ['e1 10'], ['e1 10'], ['e1 10']],
      [['e1 10'], ['e2 20'], ['e2 20'], ['e2 20']],
      [['e1 10'], ['e2 20'], ['e3 30'], ['e3 30']],
    ],
  },
]
/** In `npm test` three of them. */
const planted = sample(cases, 3)
const base = Date.now() - 5 * hour

describe('exports of bills in the facts', () => {
  const org = 'org-1'
  const seen: unknown[][] = planted.map(() => [])
  before(async function () {
    this.timeout(180_000)
    const ch = await testClickHouse()
    const places = planted.map(() => new Place(ch))
    for (const [n, one] of planted.entries()) await one.plant(places[n]!)
    for (let run = 0; run < 3; run++) {
      const now = planted.flatMap(({ shown: runs }, n) => {
        const shown = runs[run]
        return shown ? [{ at: places[n]!, shown, n }] : []
      })
      const marked = now.flatMap(({ at }) => days.map((day) => ({ orgId: at.org, cloudAccountId: 'acct-1', day })))
      await recomputeCostDays(ch, marked, String(run + 1), {
        now: new Date(base + run * hour),
        shown: Object.fromEntries(now.map(({ at, shown }) => [`${at.org}|acct-1`, shown])),
      })
      for (const { n, at } of now) seen[n]!.push(await planted[n]!.see(at))
    }
  })

  for (const [n, { title, seen: wanted }] of planted.entries()) it(title, () => expect(seen[n]).to.deep.equal(wanted))

  const showing = (...bills: ShownBill[]): ShownBills => ({ [`${org}|acct-1`]: bills })

  it('are what a day shows where it names all that are complete, and none that is replaced', () => {
    const shown = showing(
      bill('e1', '2026-01', '2026-01-01', '2026-01-31'),
      bill('f1', '2026-02', '2026-02-01', '2026-02-28'),
    )
    const is = (day: string, ...published: [string, string][]) =>
      isAsShown(
        shown,
        { orgId: org, cloudAccountId: 'acct-1', day },
        published.map(([period, exportId]) => ({ period, exportId })),
      )
    expect(is('2026-01-15', ['2026-01', 'e1'])).to.equal(true)
    expect(is('2026-01-15', ['2026-01', 'e1'], ['2026-02', 'f1'])).to.equal(true)
    expect(is('2026-01-15', ['2026-01', 'e0'])).to.equal(false)
    expect(is('2026-01-15', ['2026-01', 'e1'], ['2026-02', 'f0'])).to.equal(false)
    expect(is('2026-01-15')).to.equal(false)
    expect(is('2026-03-15')).to.equal(true)
  })

  it('are those that a day would be worked out from where it names all that cover it, begun ones too', () => {
    const begun = { ...bill('f1', '2026-02', '2026-02-01', '2026-02-28'), isComplete: false }
    const shown = showing(bill('e1', '2026-01', '2026-01-01', '2026-02-03'), begun)
    const is = (day: string, ...published: [string, string][]) =>
      isOfTheSame(
        shown,
        { orgId: org, cloudAccountId: 'acct-1', day },
        published.map(([period, exportId]) => ({ period, exportId })),
      )
    expect(is('2026-02-02', ['2026-02', 'f1'], ['2026-01', 'e1'])).to.equal(true)
    expect(is('2026-02-02', ['2026-01', 'e1'])).to.equal(false)
    expect(is('2026-02-10')).to.equal(false)
    expect(is('2026-02-10', ['2026-02', 'f0'])).to.equal(false)
    expect(is('2026-02-10', ['2026-02', 'f1'])).to.equal(true)
    expect(is('2026-03-15')).to.equal(true)
  })
})

describe('the sweep of replaced exports', () => {
  const now = new Date('2026-03-01T00:00:00Z')

  /** A ClickHouse that has these exports, and what a sweep has it delete of them: period, then exports. */
  async function sweptOf(stored: readonly Stored[], isDead: (bill: StoredExport) => boolean) {
    const deleted: string[] = []
    const ch = {
      query: async () => ({ json: async () => stored.map(rowOf) }),
      command: async ({ query_params: { period, bills } }: { query_params: { period: string; bills: TupleParam[] } }) =>
        void deleted.push([period, ...bills.map(({ values }) => values.join('/'))].join(' ')),
    } as unknown as ClickHouseClient
    return { told: await sweepBills(ch, isDead, now), deleted }
  }
  type Stored = readonly [period: string, id: string, rows: number, day: string, isShown?: 1]
  const rowOf = ([period, id, stored, day, is_shown]: Stored) => ({
    org_id: 'o',
    cloud_account_id: 'a',
    period,
    export: id,
    stored,
    exported_at: `${day}T00:00:00.000Z`,
    is_shown: is_shown ?? 0,
  })
  const isOld = ({ exportId }: StoredExport) => exportId.startsWith('old')

  it('takes away what is dead of a period once that is a third of its rows', async () => {
    const of = (rows: number): Stored[] => [
      ['2026-02', 'old', rows, '2026-02-20'],
      ['2026-02', 'new', 200, '2026-02-27'],
    ]
    expect(await sweptOf(of(99), isOld)).to.deep.equal({ told: { exports: 0, rows: 0 }, deleted: [] })
    expect(await sweptOf(of(100), isOld)).to.deep.equal({
      told: { exports: 1, rows: 100 },
      deleted: ['2026-02 o/a/2026-02/old'],
    })
    expect(await sweptOf(of(100), () => false)).to.deep.equal({ told: { exports: 0, rows: 0 }, deleted: [] })
  })

  it('takes away what is dead and 35 days old, however little that is, each period by itself', async () => {
    const stored: Stored[] = [
      ['2025-12', 'old-1', 1, '2026-01-25'],
      ['2025-12', 'old-2', 1, '2026-02-20'],
      ['2025-12', 'new', 50, '2026-02-25'],
      ['2026-01', 'old-3', 1, '2026-01-26'],
      ['2026-01', 'new', 50, '2026-02-25'],
    ]
    // Of March 1: 35 days back is January 25.
    expect(await sweptOf(stored, isOld)).to.deep.equal({
      told: { exports: 2, rows: 2 },
      deleted: ['2025-12 o/a/2025-12/old-1 o/a/2025-12/old-2'],
    })
  })

  it('leaves an export alone that a day is still made of', async () => {
    const stored: Stored[] = [
      ['2026-02', 'old-1', 10, '2026-01-01', 1],
      ['2026-02', 'old-2', 21, '2026-01-01'],
    ]
    expect((await sweptOf(stored, isOld)).deleted).to.deep.equal(['2026-02 o/a/2026-02/old-2'])
  })

  it('deletes the lines of what is replaced, never of an export that a day is made of', async () => {
    // A period and exports that nothing else has: a sweep looks at all that is stored.
    const ch = await testClickHouse()
    const org = `org-${randomUUID()}`
    const period = '2001-02'
    const put = (id: string, count: number) =>
      ch.insert({
        table: 'bill_line',
        format: 'JSONEachRow',
        values: Array.from({ length: count }, (_, n) => ({
          ...fact(org, `${n}`, 1, { x_Day: `${period}-10`, x_ExportedAt: '2026-02-20 00:00:00.000' }),
          x_ExportId: `${org}/${id}`,
          x_BillingPeriod: period,
        })),
      })
    await put('a', 10)
    await put('b', 21)
    await put('c', 10)
    const shown = { period, exportId: `${org}/a`, from: '2001-02-01', to: '2001-02-28', isComplete: true }
    await recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2001-02-10' }], '1', {
      now,
      shown: { [`${org}|acct-1`]: [shown] },
    })
    const dead = [`${org}/a`, `${org}/b`]
    expect(await sweepBills(ch, ({ exportId }) => dead.includes(exportId), now)).to.deep.equal({ exports: 1, rows: 21 })
    const query = `SELECT x_ExportId AS id, count() AS n FROM bill_line WHERE x_OrgId = {org:String} GROUP BY id ORDER BY id`
    const found = await ch.query({ query, query_params: { org }, format: 'JSONEachRow' })
    const left = (await found.json<{ id: string; n: number }>()).map(({ id, n }) => [
      id.replace(`${org}/`, ''),
      Number(n),
    ])
    expect(left).to.deep.equal([
      ['a', 10],
      ['c', 10],
    ])
  })
})
