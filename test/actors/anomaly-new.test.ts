import { expect } from 'chai'
import { anomalyActor } from '#actors/anomaly/actor.ts'
import { anomalyFound } from '#streams/anomaly.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const found = (date: string, actualUsd: number) => ({ ...anomalyFound.examples[0]!, date, actualUsd })

/** The days of which a series has a record, once these costs were found on these days. */
function recorded(...days: readonly [date: string, actualUsd: number][]): string[] {
  const one = new MemoryActor(anomalyActor, { place: '-', key: 'org|o1' })
  for (const [date, usd] of days) one.take(anomalyFound, found(date, usd))
  return one.state.stored.map(({ date }) => date)
}

describe('what is found of a thing again', () => {
  it('is new from a difference of 20 per cent on, up or down, and else the same [ANOM-30] [ANOM-31]', () => {
    for (const [second, isNew] of [
      [239.99, false],
      [240, true],
      [160.01, false],
      [160, true],
    ] as const) {
      const days = recorded(['2026-01-15', 200], ['2026-01-17', second])
      expect(days, `${second}`).to.deep.equal(isNew ? ['2026-01-15', '2026-01-17'] : ['2026-01-15'])
    }
  })

  it('is compared with what was recorded last, not with what was found and not recorded', () => {
    // 230 is 15 per cent above 200, and 245 is 6.5 per cent above 230, but 22.5 above 200.
    expect(recorded(['2026-01-15', 200], ['2026-01-16', 230], ['2026-01-17', 245])).to.deep.equal([
      '2026-01-15',
      '2026-01-17',
    ])
  })
})
