import { expect } from 'chai'
import fc from 'fast-check'
import { anomalyActor } from '#actors/anomaly/actor.ts'
import { recordKey } from '#actors/anomaly/record.ts'
import { boundsOf, judgeDay, thresholds } from '#actors/anomaly/rule.ts'
import type { Static } from '#engine/value/schema.ts'
import { anomalyCleared, anomalyFound, anomalyNotified } from '#streams/anomaly.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

const found = (date: string, actualUsd: number, more: Partial<Static<typeof anomalyFound.schema>> = {}) => ({
  ...anomalyFound.examples[0]!,
  date,
  actualUsd,
  ...more,
})
const series = () => new MemoryActor(anomalyActor, { place: '-', key: 'org|o1' })
/** The events that people are told by; each is published, and raised for those who want to hear of it. */
const told = ({ emitted }: Done): any[] =>
  emitted.flatMap(({ type, data }) => (type.startsWith('cost.anomaly.') ? [data] : []))
const types = (done: Done) => told(done).map(({ eventType }) => eventType)
/** The records that the actor reads before its turn: of one that was appended before. */
const needsOf = ({ facts }: Done) =>
  new Map(
    facts.map(({ row }) => {
      const { x_Version: _, ...record } = row
      return [recordKey('o1', { type: row.anomaly_type, key: row.anomaly_key, date: row.date }), record]
    }),
  )
const which = (date: string) => ({ type: 'org' as const, key: 'o1', date })

describe('the judgement of a day', () => {
  const day = (actual: number, more = {}) =>
    judgeDay({ actual, expected: 100, charged: 100, prior_days: 30, prior_mean: 100, prior_deviation: 0, ...more })

  it('begins at each threshold itself [ANOM-13]', () => {
    const levels = [129.99, 130, 199.99, 200, 599.99, 600].map((actual) => day(actual)?.severity)
    expect(levels).to.deep.equal([undefined, 'warning', 'warning', 'critical', 'critical', 'emergency'])
  })

  it('hears the standard deviation from 2, 3 and 5 on, fourteen days and more than a tenth of the mean [ANOM-05] [ANOM-14] [ANOM-16] [ANOM-18]', () => {
    const at = (actual: number, sd: number, days = 14) => {
      const { severity, method } = day(actual, { prior_deviation: sd, prior_days: days })!
      return `${severity} ${method}`
    }
    expect([at(160, 20), at(159.9, 20), at(190, 18), at(189.9, 18), at(160, 20, 13)]).to.deep.equal([
      'critical zscore',
      'warning percent',
      'emergency zscore',
      'critical zscore',
      'warning percent',
    ])
    expect([at(160, 10), at(160, 10.001)]).to.deep.equal(['warning percent', 'emergency zscore'])
  })

  it('is what the bounds of the day say, for whatever it cost', () => {
    const cents = (max: number) => fc.integer({ min: 100, max }).map((amount) => amount / 100)
    const days = fc.record({
      actual: cents(100_000),
      expected: cents(20_000),
      prior_days: fc.integer({ min: 0, max: 30 }),
      prior_mean: cents(20_000),
      prior_deviation: cents(5000),
    })
    fc.assert(
      fc.property(days, (one) => {
        const day = { ...one, charged: one.expected }
        const bounds = boundsOf({ ...day, baseline_days: 7 })!
        // At a bound itself sums of binary floats decide.
        fc.pre(bounds.every((bound) => Math.abs(one.actual - bound) > 1e-6))
        const reached = thresholds.findLast((_, at) => one.actual > bounds[at]!)?.severity
        expect(judgeDay(day)?.severity).to.equal(reached)
      }),
    )
  })

  it('has no bounds with fewer than four days, or a baseline below a dollar', () => {
    const bounds = (expected: number, baseline_days: number) =>
      boundsOf({ expected, charged: expected, baseline_days, prior_days: 7, prior_mean: 1, prior_deviation: 0 })
    expect([bounds(1, 3), bounds(0.99, 7), bounds(1, 4)]).to.deep.equal([undefined, undefined, [1.3, 2, 6]])
  })
})

describe('the anomalies of a dimension', () => {
  it('are stored under one id a day, and told of as the interface names them [ANOM-01] [ANOM-33]', () => {
    const done = series().take(anomalyFound, found('2026-01-15', 200))
    const { facts, emitted, raised } = done
    expect(facts.map(({ table, row }) => [table, row.anomaly_type, row.severity, row.notified])).to.deep.equal([
      ['anomaly_state', 'org', 'critical', 0],
    ])
    expect(emitted.map(({ type }) => type)).to.deep.equal(['cost.anomaly.critical'])
    expect(raised).to.deep.equal([emitted[0]!.data])
    const [data, ...more] = told(done)
    expect(more).to.deep.equal([])
    expect([data.eventType, data.category, data.scope, data.data.anomalyID]).to.deep.equal([
      'cost.anomaly.critical',
      'cost_anomaly',
      { type: 'org', id: '' },
      facts[0]!.row.id,
    ])
    const team = found('2026-01-15', 200, { type: 'team', key: 't1', severity: 'warning' })
    expect(types(series().take(anomalyFound, team))).to.deep.equal(['cost.anomaly.team.warning'])
  })

  it('are told of in cents and percentages of two places, and kept as they are G-07', () => {
    const odd = { expectedUsd: 77.0850000001, deviationPercent: 145.3082559 }
    const topResources = [{ resourceUid: 'i-1', resourceName: 'web-1', costUSD: 12.3456, deltaUSD: 0.005 }]
    const done = series().take(anomalyFound, found('2026-01-15', 189.095, { ...odd, topResources }))
    const { facts } = done
    const [data] = told(done)
    expect(data.title).to.equal('Cost of Example Ltd: 189.10 US dollars on 2026-01-15, 145.31 % above 77.09')
    const { actualCostUsd, expectedCostUsd, deviationPercent } = data.data
    expect([actualCostUsd, expectedCostUsd, deviationPercent]).to.deep.equal([189.1, 77.09, 145.31])
    expect(data.data.topResources).to.deep.equal([{ ...topResources[0], costUSD: 12.35, deltaUSD: 0.01 }])
    expect([facts[0]!.row.actual_usd, facts[0]!.row.deviation_percent]).to.deep.equal([189.095, 145.3082559])
  })

  it('stay one record while the day grows, told of once; the daily run has the last word [ANOM-34]', () => {
    const one = series()
    const first = one.take(anomalyFound, found('2026-01-15', 140, { origin: 'running', severity: 'warning' }))
    const second = one.take(anomalyFound, found('2026-01-15', 190, { origin: 'running' }))
    const daily = one.take(anomalyFound, found('2026-01-15', 210))
    const late = one.take(anomalyFound, found('2026-01-15', 205, { origin: 'running' }))
    expect([first, second, daily, late].map((done) => told(done).length)).to.deep.equal([1, 0, 0, 0])
    expect([first, second, daily].map(({ facts }) => facts[0]!.row.actual_usd)).to.deep.equal([140, 190, 210])
    expect(new Set([first, second, daily].map(({ facts }) => facts[0]!.row.id)).size).to.equal(1)
    expect(new Set([first, second, daily].map(({ facts }) => facts[0]!.row.created_at)).size).to.equal(1)
    expect(late.facts).to.deep.equal([])
  })

  it('are taken back when the running day found what the daily run does not, and only then', () => {
    const one = series()
    one.take(anomalyFound, found('2026-01-14', 200))
    one.take(anomalyFound, found('2026-01-15', 400, { origin: 'running' }))
    const kept = one.take(anomalyCleared, { type: 'org', key: 'o1', date: '2026-01-14' })
    const gone = one.take(anomalyCleared, { type: 'org', key: 'o1', date: '2026-01-15' })
    expect([kept.facts.length, gone.facts.map(({ row }) => [row.date, row.withdrawn])]).to.deep.equal([
      0,
      [['2026-01-15', 1]],
    ])
    expect(one.state.stored.map(({ date }) => date)).to.deep.equal(['2026-01-14'])
  })

  it('are taken back too when the day ended no higher than the anomaly before it [ANOM-30]', () => {
    const one = series()
    one.take(anomalyFound, found('2026-01-14', 200))
    one.take(anomalyFound, found('2026-01-15', 400, { origin: 'running' }))
    const daily = one.take(anomalyFound, found('2026-01-15', 210))
    expect(daily.facts.map(({ row }) => row.withdrawn)).to.deep.equal([1])
  })

  it('tell nothing while suppressed, and tell when more than new resources are behind it [ANOM-32]', () => {
    const one = series()
    const quiet = one.take(anomalyFound, found('2026-01-15', 200, { suppressed: true, origin: 'running' }))
    expect([quiet.emitted, quiet.facts[0]!.row.severity]).to.deep.equal([[], 'info'])
    expect(types(one.take(anomalyFound, found('2026-01-15', 300)))).to.deep.equal(['cost.anomaly.critical'])
  })

  it('are told of again on the seventh day, counted in days and not in records [ANOM-29]', () => {
    const one = series()
    const counts = [200, 250, 320, 400].map((actual, i) => {
      const date = ['2026-01-15', '2026-01-18', '2026-01-21', '2026-01-22'][i]!
      const done = one.take(anomalyFound, found(date, actual), { at: dayAfter(date) })
      one.take(anomalyNotified, { ...which('2026-01-15'), at: '2026-01-16T04:31:00Z' }, { needs: needsOf(done) })
      return told(done).length
    })
    expect(counts).to.deep.equal([1, 0, 0, 1])
  })

  it('say whose the thing is, and which resource is behind it most', () => {
    const topResources = ['i-1', 'i-2'].map((resourceUid) => ({
      resourceUid,
      resourceName: 'web',
      costUSD: 2,
      deltaUSD: 1,
    }))
    const dataOf = (more: object) => told(series().take(anomalyFound, found('2026-01-15', 200, more)))[0].data
    const own = dataOf({ type: 'resource', key: 'i-1', cloudAccountId: 'acct-1', teamId: 't1', topResources })
    expect([own.cloudAccountID, own.teamID, own.cause]).to.deep.equal(['acct-1', 't1', 'i-1'])
    expect(dataOf({ topResources: [] })).to.deep.equal({
      anomalyID: dataOf({}).anomalyID,
      date: '2026-01-15',
      actualCostUsd: 200,
      expectedCostUsd: 100,
      deviationPercent: 100,
      method: 'percent',
      rootCause: 'Unexplained increase: 100.00 US dollars above the baseline.',
      topResources: [],
      cause: '',
      label: 'Example Ltd',
    })
  })
})

/** When the daily run finds what was on a day. */
const dayAfter = (date: string): number => Date.parse(`${date}T04:30:00Z`) + 86_400_000

describe('an anomaly that was told of', () => {
  const acceptedAt = '2026-01-16T04:30:05.000Z'
  const accept = (one: ReturnType<typeof series>, date: string, done: Done, at = acceptedAt) =>
    one.take(anomalyNotified, { ...which(date), at }, { needs: needsOf(done) })

  it('is notified from when a receiver first accepted a message, and stays the same record [ANOM-03]', () => {
    const one = series()
    const done = one.take(anomalyFound, found('2026-01-15', 200), { at: dayAfter('2026-01-15') })
    expect(one.state.stored[0]).to.include({ toldAt: '2026-01-16T04:30:00.000Z', notifiedAt: null })
    const accepted = accept(one, '2026-01-15', done)
    const { x_Version: _, ...before } = done.facts[0]!.row
    const { x_Version: __, ...after } = accepted.facts[0]!.row
    expect([before.notified, before.notified_at]).to.deep.equal([0, null])
    expect(after).to.deep.equal({ ...before, notified: 1, notified_at: acceptedAt })
    expect(accepted.emitted).to.deep.equal([])
    const again = accept(one, '2026-01-15', done, '2026-01-16T05:00:00.000Z')
    expect([again.facts, again.refused, one.state.stored[0]!.notifiedAt]).to.deep.equal([[], undefined, acceptedAt])
    const stranger = accept(one, '2026-01-14', done)
    expect([stranger.facts, stranger.refused, one.state.stored.length]).to.deep.equal([[], undefined, 1])
    const refound = one.take(anomalyFound, found('2026-01-15', 230))
    expect([refound.facts[0]!.row.notified_at, refound.facts[0]!.row.actual_usd, told(refound)]).to.deep.equal([
      acceptedAt,
      230,
      [],
    ])
  })

  it('keeps that while it is withdrawn, and is not told of again when the day is found again', () => {
    const one = series()
    one.take(anomalyFound, found('2026-01-15', 200, { origin: 'running' }))
    const gone = one.take(anomalyCleared, which('2026-01-15'))
    expect(gone.facts[0]!.row).to.include({ withdrawn: 1, notified: 0 })
    expect(accept(one, '2026-01-15', gone).facts[0]!.row).to.include({
      withdrawn: 1,
      notified: 1,
      notified_at: acceptedAt,
    })
    expect(one.take(anomalyCleared, which('2026-01-15')).facts).to.deep.equal([])
    const next = one.take(anomalyFound, found('2026-01-16', 210), { at: dayAfter('2026-01-16') })
    expect(told(next).length, 'what did not last keeps nobody from hearing of the next').to.equal(1)
    const refound = one.take(anomalyFound, found('2026-01-15', 200))
    expect([told(refound), refound.facts[0]!.row.withdrawn, refound.facts[0]!.row.notified_at]).to.deep.equal([
      [],
      0,
      acceptedAt,
    ])
  })

  it('keeps the next from being told for a day, and once somebody accepted it for the window; a rerun tells nothing [ANOM-29] [ANOM-34] G-54', () => {
    const raised = Date.parse('2026-01-16T04:30:00Z')
    const tellsAfter = (ms: number, isAccepted: boolean) => {
      const one = series()
      const first = one.take(anomalyFound, found('2026-01-15', 200), { at: raised })
      if (isAccepted) accept(one, '2026-01-15', first)
      const second = one.take(anomalyFound, found('2026-01-17', 300), { at: raised + ms })
      expect(second.facts[0]!.row.actual_usd).to.equal(300)
      const rerun = one.take(anomalyFound, found('2026-01-17', 300), { at: raised + ms + 5 * 86_400_000 })
      expect(told(rerun)).to.deep.equal([])
      return told(second).length
    }
    // The run of two days later comes then, give or take a moment.
    const day = 47 * 3_600_000
    expect([tellsAfter(day - 1, false), tellsAfter(day, false), tellsAfter(day, true)]).to.deep.equal([0, 1, 0])
  })

  it('was told of when a version before says that it was notified, and keeps others silent as then', () => {
    const one = series()
    const notifiedAt = '2026-01-10T04:30:00.000Z'
    const of = { actual: 200, suppressed: false, notifiedAt, createdAt: notifiedAt, origin: 'daily' as const }
    one.state.stored = [{ ...of, date: '2026-01-14' }]
    const [again, next] = ['2026-01-14', '2026-01-15'].map((date) => one.take(anomalyFound, found(date, 300)))
    expect([told(again!), told(next!), again!.facts[0]!.row.notified_at]).to.deep.equal([[], [], notifiedAt])
  })

  it('is told of by the daily run when what kept it silent during the day was accepted by nobody', () => {
    const one = series()
    const at = Date.parse('2026-01-15T04:00:00Z')
    one.take(anomalyFound, found('2026-01-15', 200, { origin: 'running' }), { at })
    const running = found('2026-01-16', 300, { origin: 'running' })
    expect(told(one.take(anomalyFound, running, { at: at + 20 * 3_600_000 }))).to.deep.equal([])
    expect(told(one.take(anomalyFound, found('2026-01-16', 310), { at: dayAfter('2026-01-16') })).length).to.equal(1)
  })
})
