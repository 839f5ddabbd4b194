import { Session } from 'chdb'
import { expect } from 'chai'
import { queries } from '#analytics/index.ts'
import { inProcess } from '#test/harness/command-line.ts'

const show = (...args: string[]) =>
  inProcess({ ...process.env, TIDEMARK_DATA_DIR: '/nonexistent/of/tests' }, 'analyst', 'show', ...args)

describe('tidemark analyst show', () => {
  it('lists each question with the first sentence of its file', async () => {
    const { code, stdout } = await show()
    const lines = stdout.trimEnd().split('\n').slice(1)
    expect([code, lines.length]).to.deep.equal([0, queries.length])
    expect(lines.find((line) => line.startsWith('closed_days '))).to.match(
      /^closed_days +Days from {from} to {to} for which an account has actual lines, not only estimates$/,
    )
  })

  it('prints the parameters, and the statement as it is sent', async () => {
    const { code, stdout } = await show('closed_days', '--param', 'org=o2', '--param', 'to=2026-01-02')
    expect([code, stdout]).to.deep.equal([
      0,
      `-- closed_days: Days from {from} to {to} for which an account has actual lines, not only estimates.
SET param_org = 'o2';
SET param_from = '2026-01-01';
SET param_to = '2026-01-02';
SELECT cloud_account_id, arraySort(groupUniqArray(toString(day))) AS days
FROM cost_service_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND lines > estimated_lines
    AND edition IN (SELECT edition FROM cost_day FINAL WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32})
GROUP BY cloud_account_id
ORDER BY cloud_account_id;
`,
    ])
  })

  it('has the parts that the parameters and marks need, and names them', async () => {
    const plain = (await show('cost_by_team')).stdout
    const shared = (await show('cost_by_team', '--param', 'shared=1', '--param', 'accounts=a')).stdout
    expect(plain).to.include('-- Marks in use: by_resource, by_team, charges, resource, team.\n')
    expect(shared).to.include('-- Marks in use: accounts, by_resource, by_team, charges, resource, shared, team.\n')
    expect(plain).to.not.match(/ARRAY JOIN takers|IN {accounts:/)
    expect(shared)
      .to.match(/ARRAY JOIN takers[^]*WHERE/)
      .and.match(/IN {accounts:Array\(String\)}/)
  })

  it('prints values that ClickHouse reads as they were given', async () => {
    const odd = `it's a \\ "b"`
    const lists = JSON.stringify([[odd, ''], []])
    const params = [`org=${odd}`, `providers=aws,${odd}`, `dim_values=${lists}`]
    const { stdout } = await show('cost_total', ...params.flatMap((one) => ['--param', one]))
    const session = new Session()
    for (const set of stdout.match(/^SET .*;$/gm)!) session.query(set)
    const read =
      'SELECT {org:String} AS o, {providers:Array(String)} AS p, {dim_values:Array(Array(String))} AS d, {scoped:UInt8} AS s'
    const row = JSON.parse(String(session.query(read, 'JSONEachRow'))) as unknown
    session.cleanup()
    expect(row).to.deep.equal({ o: odd, p: ['aws', odd], d: [[odd, ''], []], s: 0 })
  })

  const wrong: readonly (readonly [args: string[], message: string])[] = [
    [['cost_totl'], 'Unknown question cost_totl; did you mean cost_total?'],
    [
      ['cost_total', '--param', 'provider=aws'],
      'Question cost_total has no parameter provider; did you mean providers?',
    ],
    [['cost_total', '--param', 'providers'], '--param must be NAME=VALUE, got providers'],
    [['cost_total', '--param', 'providers=[1'], '--param providers must be a list, got [1'],
    [['cost_total', '--param', 'scoped=2'], '--param scoped must be a valid integer, got 2'],
    [['saving_sums', '--param', 'cost=x'], 'Question saving_sums has no parameter cost'],
    [
      ['cost_total', '--param', 'cost=cost'],
      '--param cost must be one of billed_cost, effective_cost, contracted_cost, list_cost, got cost',
    ],
    [['--param', 'org=o'], 'QUESTION is missing. Usage: tidemark analyst show'],
  ]
  for (const [args, message] of wrong)
    it(`refuses ${args.join(' ')}`, async () => {
      const { code, stderr } = await show(...args)
      expect(code).to.equal(2)
      expect(stderr).to.include(message)
    })
})
