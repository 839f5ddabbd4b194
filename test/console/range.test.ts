import { expect } from 'chai'
import { periodOf, ranges } from '../../http/console/web/range.ts'
import { tableRows } from '../../http/console/web/view/costs/table-csv.ts'

describe('the presets of the console', () => {
  /** Today is a Wednesday; bills are complete through Sunday. */
  const [today, settled] = ['2026-05-13', '2026-05-10']
  const days = (query: string) => {
    const { from, to } = periodOf(new URLSearchParams(query), today, settled)
    return `${from} ${to}`
  }

  it('end with the last complete day, unless they are past or asked for through today', () => {
    const each: Readonly<Record<string, string>> = {
      today: '2026-05-13 2026-05-13',
      yesterday: '2026-05-12 2026-05-12',
      '7d': '2026-05-04 2026-05-10',
      '14d': '2026-04-27 2026-05-10',
      '30d': '2026-04-11 2026-05-10',
      '90d': '2026-02-10 2026-05-10',
      // No day of this week is complete yet.
      week: '2026-05-11 2026-05-13',
      month: '2026-05-01 2026-05-10',
      quarter: '2026-04-01 2026-05-10',
      year: '2026-01-01 2026-05-10',
      'last-week': '2026-05-04 2026-05-10',
      'last-month': '2026-04-01 2026-04-30',
      'last-quarter': '2026-01-01 2026-03-31',
      '6m': '2025-12-01 2026-05-10',
      '12m': '2025-06-01 2026-05-10',
    }
    expect(Object.fromEntries(ranges.map(({ id }) => [id, days(`range=${id}`)]))).to.deep.equal(each)
    expect(days('range=month&through=today')).to.equal('2026-05-01 2026-05-13')
  })

  it('go back over the end of a year', () => {
    const january = (range: string) => periodOf(new URLSearchParams({ range }), '2026-01-02', '2026-01-01')
    expect(january('last-quarter')).to.deep.equal({ from: '2025-10-01', to: '2025-12-31' })
    expect(january('last-week')).to.deep.equal({ from: '2025-12-22', to: '2025-12-28' })
    expect(january('6m')).to.deep.equal({ from: '2025-08-01', to: '2026-01-01' })
  })
})

describe('the table of groups as a file', () => {
  const figures = (costUSD: number, previousUSD: number, deltaPercent: number | null) => ({
    costUSD,
    previousUSD,
    deltaUSD: costUSD - previousUSD,
    deltaPercent,
    values: [],
  })
  const data = {
    granularity: 'daily' as const,
    periods: [],
    series: [
      { key: { region: 'eu', team_id: 't1' }, label: 'eu / Data', ...figures(60, 40, 50) },
      // A name that holds the slash: values stand for themselves.
      { key: { region: 'us', team_id: 't2' }, label: 'us / Web / API', ...figures(30, 30, 0) },
    ],
    other: { count: 2, ...figures(10, 0, null) },
    total: figures(100, 70, 42.9),
  }
  const now = { dims: ['region', 'team_id'], compare: 'previous' } as never

  it('has the rows, shares, comparison and total that are shown', () => {
    expect(tableRows(data, now)).to.deep.equal([
      ['Region', 'Team', 'Cost USD', 'Share %', 'Previous USD', 'Change USD', 'Change %'],
      ['eu', 'Data', 60, 60, 40, 20, 50],
      ['us', 't2', 30, 30, 30, 0, 0],
      ['2 others', '', 10, 10, 0, 10, null],
      ['Total', '', 100, 100, 70, 30, 42.9],
    ])
  })

  it('has no comparison where none is shown', () => {
    const rows = tableRows(data, { dims: ['region', 'team_id'], compare: undefined } as never)
    expect(rows.at(-1)).to.deep.equal(['Total', '', 100, 100])
  })
})
