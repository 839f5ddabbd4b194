import { expect } from 'chai'
import { anomalyActor } from '#actors/anomaly/actor.ts'
import { presentFigures, replayAnomalies, type Case } from '#actors/anomaly/replay.ts'
import { addDays } from '#engine/value/day.ts'
import { anomalyFound } from '#streams/anomaly.ts'
import { chance } from '#streams/cloud/simulated/world/prng.ts'
import { MemoryActor } from '#test/harness/turn.ts'
import { amount } from '#test/harness/tier.ts'

const histories = amount(300, 1000, 10_000)
const first = '2026-01-01'

/** A day whose baseline is 100 and which is so far above it. */
const caseOf = (date: string, actual: number, more: Partial<Case> = {}): Case => ({
  date,
  type: 'org',
  key: 'o1',
  actual,
  expected: 100,
  charged: 100,
  charged_now: actual,
  credit_days: 0,
  credited_until: '',
  baseline_days: 7,
  prior_days: 7,
  prior_mean: 100,
  prior_deviation: 0,
  cloud_account_id: '',
  team_id: '',
  isSuppressed: false,
  ...more,
})

/** By the bounds of the documentation. */
const severityOf = (percent: number) => (percent >= 500 ? 'emergency' : percent >= 100 ? 'critical' : 'warning')

/** What is stored when each day that is 30 per cent and more above is told to the actor, as a daily run does. */
function storedOf(cases: readonly Case[]): string[] {
  const actor = new MemoryActor(anomalyActor, { place: '-', key: 'org|o1' })
  const stored: string[] = []
  for (const { date, actual } of cases) {
    const percent = actual - 100
    if (percent < 30) continue
    const found = {
      ...anomalyFound.examples[0]!,
      date,
      key: 'o1',
      type: 'org' as const,
      severity: severityOf(percent) as 'warning',
      suppressed: false,
      actualUsd: actual,
      origin: 'daily' as const,
    }
    const { facts } = actor.take(anomalyFound, found)
    stored.push(...facts.map(({ row }) => `${row.date} ${row.severity} ${row.actual_usd}`))
  }
  return stored
}

describe('past days by the rule of anomalies', () => {
  it('come to what the actor stored of them, by the figures of now, in random histories', () => {
    let found = 0
    for (let n = 0; n < histories; n++) {
      const cases = Array.from({ length: 31 }, (_, day) => {
        const level = chance('replay', n, day, 'level') < 0.5 ? 0 : chance('replay', n, day) * 700
        return caseOf(addDays(first, day), 100 + Math.round(level))
      })
      const again = replayAnomalies(cases, [], presentFigures).map(
        (one) => `${one.date} ${one.severity} ${one.actualUsd}`,
      )
      expect(again, `history ${n}`).to.deep.equal(storedOf(cases))
      found += again.length
    }
    expect(found).to.be.greaterThan(histories)
  })

  it('are compared with what was stored before them', () => {
    const standing = [{ date: '2025-12-31', type: 'org' as const, key: 'o1', actualUsd: 200 }]
    const days = [caseOf('2026-01-01', 230), caseOf('2026-01-02', 240)]
    const of = (before: typeof standing) => replayAnomalies(days, before, presentFigures).map((one) => one.date)
    expect(of(standing)).to.deep.equal(['2026-01-02'])
    expect(of([])).to.deep.equal(['2026-01-01'])
  })

  it('are other days by other bounds, other baselines and another difference', () => {
    const days = [caseOf('2026-01-01', 140), caseOf('2026-01-02', 200), caseOf('2026-01-03', 500)]
    const of = (more: object) =>
      replayAnomalies(days, [], { ...presentFigures, ...more }).map((one) => `${one.date} ${one.severity}`)
    expect(of({})).to.deep.equal(['2026-01-01 warning', '2026-01-02 critical', '2026-01-03 critical'])
    const bounds = [50, 150, 300].map((percent, n) => ({ ...presentFigures.thresholds[n]!, percent }))
    expect(of({ thresholds: bounds })).to.deep.equal(['2026-01-02 warning', '2026-01-03 emergency'])
    expect(of({ baselineUsdMin: 100.01 })).to.deep.equal([])
    expect(of({ difference: 1 })).to.deep.equal(['2026-01-01 warning', '2026-01-03 critical'])
  })

  it('are info where new resources explain them, and stand for what comes after all the same', () => {
    const days = [caseOf('2026-01-01', 200, { isSuppressed: true }), caseOf('2026-01-02', 210)]
    expect(replayAnomalies(days, [], presentFigures).map((one) => one.severity)).to.deep.equal(['info'])
  })
})
