import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { queries } from '#analytics/index.ts'
import type { Query } from '#analytics/store/query.ts'
import { everything } from '#analytics/store/slice.ts'
import { testClickHouse } from '#test/harness/clickhouse.ts'
import { randomParams, sliceWorld } from '#test/analytics/slice-world.ts'
import { amount, isDeep } from '#test/harness/tier.ts'

/** Kinds of parameters, which the questions take in turn: planning the whole of a file takes seconds. */
const kinds = 5
const view =
  /\b(?:cost_slice|cost_slice_tagged|charge_slice|resource_slice|metric_slice|present_resources|tag_costs|dimension_costs|receipt_\w+_(?:lines|sums))\(/
const sliced = queries.filter(({ sql }) => view.test(sql))
/**
 * Asked as the file stands in `npm test`: it has rows though much narrows it. ClickHouse plans the whole of a file for two to ten seconds.
 * Which facts a question needs is in compose.test.ts.
 */
const whole: ReadonlySet<string> = new Set(['cost_by_provider'])
/** Asked of open months and present tags alone in `npm test`: both have a shorter text for these. */
const shortened: ReadonlySet<string> = new Set(['cost_by_team', 'tag_keys'])
const asked = [...sliced.entries()].filter(([, { name }]) => isDeep || whole.has(name))
const ofNow = [...sliced.entries()].filter(([at, { name }]) =>
  isDeep ? at % amount(3, 3, 1) === 0 : shortened.has(name),
)

/** Parameters that are sent only with some questions, and that files have for all. */
const noNames = { service_names: [], service_titles: [], spelled_keys: [], spellings: [] }

/** The file, over the view that knows of invoices where they are asked for: the one alternative that does not run as it stands. */
const asItStands = ({ sql }: Query, facts: readonly string[]): string =>
  facts.includes('invoice')
    ? sql.replace('cost_slice_tagged(', 'cost_slice_invoiced(invoices = {invoices:Array(String)},')
    : sql

describe('what a question is put together from', () => {
  const org = `org-${randomUUID()}`
  const met = new Set<string>()
  let ch: ClickHouseClient
  let times: string[]

  before(async () => {
    ch = await testClickHouse()
    times = await sliceWorld(ch, org)
  })

  const ask = async (query: string, query_params: Record<string, unknown>): Promise<string[]> => {
    const result = await ch.query({
      query,
      query_params,
      format: 'JSONCompactEachRow',
      clickhouse_settings: { max_threads: 1, output_format_json_quote_decimals: 1 },
    })
    const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(9)) : value)
    return (await result.json<unknown>()).map((row) => JSON.stringify(row, rounded)).toSorted()
  }

  const sizes: number[] = []
  const plains: number[] = []
  for (const [at, q] of asked)
    it(`${q.name} answers as its file does as it stands`, async () => {
      const params = randomParams(q, org, times, at % kinds)
      const facts = q.factsFor(params)
      const answer = await ask(q.textFor(params), params)
      expect(answer, `${JSON.stringify(params)}: ${facts.join()}`).to.deep.equal(
        await ask(asItStands(q, facts), { ...noNames, ...params }),
      )
      for (const fact of facts) met.add(fact)
      sizes.push(answer.length)
    })

  for (const [at, q] of ofNow)
    it(`${q.name} answers the same of open months and present tags without looking at closed and past ones`, async () => {
      const params = randomParams(q, org, times, at % kinds)
      const facts = q.factsFor(params)
      // Of months that are open nothing needs to be asked of closed ones.
      const open = { ...params, from: '2026-01-04', to: '2026-01-25', prev_from: '2026-01-01', prev_to: '2026-01-03' }
      if (facts.includes('team'))
        expect(await ask(q.textFor({ ...open, open_months: 1 }), open)).to.deep.equal(await ask(q.textFor(open), open))
      // Nor is what is as reports show it now, whatever its tags, to be asked line by line.
      if (!q.sql.includes('/*if no plain*/') && !/\btag_costs\(/.test(q.sql)) return
      const now = { ...open, as_of: '', tag_keys: [], tag_values: [] }
      for (const [allocated, more] of [{ ...everything, invoices: [], dim_values: [], dim_tags: [] }, {}].entries()) {
        const these = { ...now, ...more }
        const plain = await ask(q.textFor({ ...these, allocated, open_months: 1, plain: 1 }), these)
        expect(plain, `plain: ${JSON.stringify(these)}`).to.deep.equal(await ask(q.textFor(these), these))
        if (allocated === 0) plains.push(plain.length)
      }
    })

  it('was answered with rows more often than not', () => {
    expect(sizes.filter((size) => size > 0).length).to.be.above(asked.length / 2)
    expect(plains.filter((size) => size > 0).length).to.be.above(plains.length / 2)
  })

  it('was asked for many facts, and in the deep tier for every one there is', () => {
    const more = isDeep ? ['invoice', 'labels'] : []
    expect([...met].toSorted()).to.include.members([...more, 'past', 'resource', 'tags', 'team'])
  })
})
