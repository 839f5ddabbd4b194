import { expect } from 'chai'
import { chartRows } from '../../http/console/web/chart/export.ts'
import { drawnChart, type ChartProps } from '../../http/console/web/chart/props.ts'
import { ticksOf } from '../../http/console/web/chart/ticks.ts'
import { csvOf } from '../../http/console/web/csv.ts'
import { addDays } from '../../http/console/web/day.ts'
import { cumulate, lineAt, rankedAt, seriesAt, topAt, totalAt } from '../../http/console/web/part/series.ts'
import { fileNameOf } from '../../http/console/web/save-file.ts'

const series = [
  { label: 'compute', values: [10, 0, 5] },
  { label: 'storage', values: [0, 4, null] },
  { label: 'credits', values: [-2, -8, null] },
]

describe('sums of charts', () => {
  it('add up a period, and its part above zero', () => {
    expect([0, 1, 2].map((at) => totalAt(series, at))).to.deep.equal([8, -4, 5])
    expect([0, 1, 2].map((at) => topAt(series, at))).to.deep.equal([10, 4, 5])
    expect(totalAt([{ values: [null] }], 0)).to.equal(null)
  })

  it('run on from period to period, and end with the last value', () => {
    expect(cumulate([1, null, 2.5, null])).to.deep.equal([1, 1, 3.5, null])
    expect(cumulate([null, null])).to.deep.equal([null, null])
  })

  it('find the series at a place: stacked from zero upwards, credits downwards', () => {
    const at = (value: number) => seriesAt([...series, { label: 'tax', values: [3] }], 0, value)?.label
    expect([9.9, 10.5, 13.1, -1, -2.5].map(at)).to.deep.equal(['compute', 'tax', undefined, 'credits', undefined])
  })

  it('find the line nearest to a place', () => {
    expect([9, -1.5].map((value) => lineAt(series, 0, value)?.label)).to.deep.equal(['compute', 'credits'])
    expect(lineAt([{ label: 'none', values: [null] }], 0, 1)).to.equal(undefined)
  })

  it('rank series by value, without those that are nothing', () => {
    expect(rankedAt(series, 1).map(({ label }) => label)).to.deep.equal(['storage', 'credits'])
  })
})

describe('ticks of charts', () => {
  const days = (from: string, count: number) => Array.from({ length: count }, (_, at) => addDays(from, at))
  const named = (periods: readonly string[], most: number) => ticksOf(periods, most).map((at) => periods[at])

  it('name every day while there is room, then Mondays, then first days of months', () => {
    expect(named(days('2026-01-01', 4), 4)).to.have.length(4)
    expect(named(days('2026-01-01', 31), 10)).to.deep.equal(['2026-01-05', '2026-01-12', '2026-01-19', '2026-01-26'])
    expect(named(days('2026-01-15', 90), 5)).to.deep.equal(['2026-02-01', '2026-03-01', '2026-04-01'])
    expect(named(days('2025-06-15', 720), 4)).to.deep.equal(['2026-01-01', '2027-01-01'])
  })

  it('name the weeks that begin a month, and months by quarter', () => {
    const weeks = ['2026-W01', '2026-W02', '2026-W05', '2026-W06', '2026-W07', '2026-W10']
    // They begin on December 29, January 5 and 26, February 2 and 9, and March 2.
    expect(named(weeks, 4)).to.deep.equal(['2026-W02', '2026-W06', '2026-W10'])
    expect(named(['2026-01', '2026-02', '2026-03', '2026-04'], 2)).to.deep.equal(['2026-01', '2026-04'])
  })

  it('are evenly apart where nothing natural fits twice', () => {
    expect(ticksOf(days('2026-01-06', 6), 3)).to.deep.equal([0, 2, 4])
    expect(ticksOf(['a', 'b', 'c', 'd', 'e'], 2)).to.deep.equal([0, 3])
  })
})

describe('charts as files', () => {
  const chart: ChartProps = {
    title: 'Cost by service, per day',
    kind: 'bars',
    periods: ['2026-01-01', '2026-01-02', '2026-01-03'],
    series: [
      { label: 'a', values: [0.1, 1, 9] },
      { label: 'b', values: [0.2, null, 9] },
    ],
    completeness: ['whole', 'whole', 'none'],
    overlays: [{ label: 'previous', values: [4, 5, 6] }],
  }

  it('have a row for each period, their total, and nothing where no bill is', () => {
    expect(chartRows(drawnChart(chart, new Set()))).to.deep.equal([
      ['Period', 'a', 'b', 'Total', 'previous'],
      ['2026-01-01', 0.1, 0.2, 0.3, 4],
      ['2026-01-02', 1, null, 1, 5],
      ['2026-01-03', null, null, null, 6],
    ])
  })

  it('leave out hidden series; colours stay with the others', () => {
    const drawn = drawnChart(chart, new Set(['a']))
    expect(drawn.series.map(({ label, place }) => [label, place])).to.deep.equal([['b', 1]])
    expect(chartRows(drawn)[0]).to.deep.equal(['Period', 'b', 'previous'])
  })

  it('quote what needs it, and contain no formulas', () => {
    expect(csvOf([['a,b', 'say "x"', '=1+1', '-1.5', -2, null]])).to.equal('"a,b","say ""x""",\'=1+1,-1.5,-2,\r\n')
    expect(fileNameOf('Cost by service, per day')).to.equal('cost-by-service-per-day')
  })
})
