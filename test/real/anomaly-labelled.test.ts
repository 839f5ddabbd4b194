// tier: deep
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Found } from '#test/harness/detection.ts'
import { testClickHouse } from '#test/harness/clickhouse.ts'
import { detectLabelled, notifiedDays, scoreOf } from '#test/real/anomaly/labelled.ts'
import { labelledSeries } from '#test/real/anomaly/series.ts'
import { describeReal } from '#test/real/data.ts'

describeReal('the daily rule over labelled series of real systems', (folder) => {
  const series = labelledSeries(folder)
  let flags: ReadonlyMap<string, readonly Found[]>
  before(async () => {
    flags = await detectLabelled(await testClickHouse(), `org-${randomUUID()}`, series)
  })

  for (const one of series)
    it(`flags the expected days of ${one.name.split('/').slice(2).join('/')}, and hits the expected windows [ANOM-10] [ANOM-13]`, () => {
      const { flagged, windowsHit, flaggedInsideWindow } = one.expected
      const days = flags.get(one.name)!.map(({ date }) => date)
      expect(days).to.deep.equal(flagged)
      const score = scoreOf(one, days)
      expect([score.windowsHit, score.flaggedInside]).to.deep.equal([windowsHit, flaggedInsideWindow])
    })

  it('notifies of more of the labelled windows in fewer messages without what is recurring [G-118]', () => {
    const total = (isQuiet: boolean) => {
      const scores = series.map((one) => scoreOf(one, notifiedDays(one.daily, flags.get(one.name)!, isQuiet)))
      const of = (pick: (score: (typeof scores)[number]) => number) =>
        scores.reduce((all, score) => all + pick(score), 0)
      return [of((s) => s.windowsHit), of((s) => s.flagged), of((s) => s.flaggedInside)]
    }
    // Windows hit, messages, those within a window: precision 0.40 and 0.81.
    expect([total(false), total(true)]).to.deep.equal([
      [17, 43, 17],
      [21, 26, 21],
    ])
  })

  it('comes to the recorded total of days and windows', () => {
    const scores = series.map((one) =>
      scoreOf(
        one,
        flags.get(one.name)!.map(({ date }) => date),
      ),
    )
    const of = (pick: (score: (typeof scores)[number]) => number) => scores.reduce((all, score) => all + pick(score), 0)
    expect([series.length, of((s) => s.windows), of((s) => s.windowsHit), of((s) => s.flagged)]).to.deep.equal([
      16, 68, 39, 96,
    ])
  })
})
