// tier: deep
import { expect } from 'chai'
import { describeReal } from '#test/real/data.ts'
import { box, type Box } from '#test/real/billing/command.ts'
import { billingFiles } from '#test/real/billing/files.ts'
import { cents } from '#test/real/billing/groups.ts'
import { sum } from '#engine/value/decimal.ts'
import { openSource } from '#streams/billing/file/source.ts'

interface Report {
  rows: number
  accepted: number
  refused: number
  reasons: { code: string; rows: number; first: { file: string; row: number }[] }[]
  billed: Record<string, string>
  billedUsd: string
  files: number
  waited: boolean
  state: string
}

const counts = ({ rows, accepted, refused, reasons, billed, billedUsd }: Report) => ({
  rows,
  accepted,
  refused,
  reasons,
  billed,
  billedUsd,
})

describeReal('tidemark ingest billing', (folder) => {
  const files = billingFiles(folder)
  let product: Box
  before(() => void (product = box()))
  after(() => product.close())

  it('says what it read, took and refused, with the first lines of every reason, and is held when run again: it is not whole [STREAM-04] [STREAM-06]', async function () {
    this.timeout(180_000)
    const focus = files.find(({ name }) => name.startsWith('focus_sample'))
    const foreign = files.find(({ rates }) => Object.values(rates).join() === '0.1')
    if (!focus || !foreign) return this.skip()
    const [wanted, other] = [await focus.wanted(), await foreign.wanted()]
    const days = wanted.checks.find(({ title }) => title === 'day')!.groups
    const billed = sum(Object.values(days).map((day) => day.sum))
    const unrated = await rowsOf(foreign.paths[0]!, () => true)

    const { id: org } = await product.run<{ id: string }>('org', 'create', 'real')
    const args = ['ingest', 'billing', focus.paths[0]!, foreign.paths[0]!, '--org', org, '--account', 'a', '--wait']
    const report = await product.run<Report>(...args)
    expect([report.code, report.state]).to.deep.equal([3, 'replaced'])
    expect(report).to.deep.include({
      rows: wanted.rows + other.rows,
      accepted: wanted.rows,
      refused: other.rows,
      billed: { USD: billed },
      billedUsd: billed,
      files: 2,
      waited: true,
    })
    const places = (file: string, rows: number[]) => rows.slice(0, 10).map((row) => ({ file, row }))
    expect(report.reasons.map(({ code, rows, first }) => ({ code, rows, first })).toSorted(byCode)).to.deep.equal([
      { code: 'currency_without_rate', rows: other.rows, first: places(foreign.paths[0]!, unrated) },
    ])

    const url = await product.start()
    const { token } = await product.run<{ token: string }>('pat', 'create', '--org', org, '--role', 'viewer')
    const [from, to] = [Object.keys(days).toSorted()[0]!, Object.keys(days).toSorted().at(-1)!]
    const read = async () => {
      const paths = [`trends?from=${from}&to=${to}`, `costs/breakdown?dims=provider,service_name&from=${from}&to=${to}`]
      const answers = paths.map((path) =>
        fetch(`${url}/reports/${path}`, { headers: { Authorization: `Bearer ${token}` } }),
      )
      return Promise.all(answers.map(async (answer) => ((await (await answer).json()) as { data: Answer }).data))
    }
    const before = await read()
    const costs = before[0]!.items!.map(({ date, costUSD }) => [date, costUSD] as const)
    expect(costs.filter(([, costUSD]) => costUSD !== 0)).to.deep.equal(
      Object.entries(days)
        .map(([day, group]) => [day, Number(group.sum)] as const)
        .filter(([, amount]) => amount !== 0)
        .toSorted(byName),
    )
    expect(before[1]!.totalUSD).to.equal(cents(billed))
    const { code, state, ...again } = await product.run<Report>(...args)
    expect([code, state]).to.deep.equal([4, 'held'])
    expect(again).to.deep.include(counts(report))
    expect(await read()).to.deep.equal(before)
    const taken = await product.run<Report>(...args, '--yes')
    expect([taken.code, taken.state]).to.deep.equal([3, 'replaced'])
    expect(counts(taken)).to.deep.equal(counts(report))
    expect(await read()).to.deep.equal(before)
  })
})

interface Answer {
  items?: { date: string; costUSD: number }[]
  totalUSD?: number
}

const byCode = (a: { code: string }, b: { code: string }): number => (a.code < b.code ? -1 : 1)
const byName = (a: readonly [string, number], b: readonly [string, number]): number => (a[0] < b[0] ? -1 : 1)

/** The lines of the file on which the rows begin that `is` picks. */
async function rowsOf(path: string, is: (fields: Record<string, unknown>) => boolean): Promise<number[]> {
  const out: number[] = []
  for await (const found of (await openSource(path)).rows)
    if ('fields' in found && is(found.fields)) out.push(found.row)
  return out
}
