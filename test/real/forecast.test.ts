// tier: deep
import { expect } from 'chai'
import { naiveMethods } from '#analytics/forecast/naive.ts'
import {
  demoCosts,
  heldEach,
  heldOf,
  measured,
  medianOf,
  recordedCosts,
  type Measured,
} from '#test/real/forecast/measure.ts'
import { median } from '#analytics/forecast/level.ts'
import { describeReal } from '#test/real/data.ts'

describeReal('forecasts of the daily cost of real accounts', (folder) => {
  let all: Measured[]
  before(function () {
    this.timeout(180_000)
    all = [...recordedCosts(folder)].map(([name, daily]) => measured(name, daily))
  })

  it('are nearer than last month, a straight line and the mean of 28 days, in the median of all series', () => {
    expect(all.length).to.be.at.least(10)
    for (const naive of naiveMethods) {
      expect(medianOf(all, ({ mase }) => mase.ours)).to.be.below(medianOf(all, ({ mase }) => mase[naive]))
      expect(medianOf(all, ({ mape }) => mape.ours)).to.be.below(medianOf(all, ({ mape }) => mape[naive]))
    }
  })

  it('have bands that hold of four in five days and not of nearly all, together and in the median of all series [G-120]', () => {
    const days = (one: Measured) => one.held
    for (const percent of [heldOf(all, days), median(heldEach(all, days))]) {
      expect(percent).to.be.at.least(80)
      expect(percent).to.be.at.most(92)
    }
  })
})

describe('forecasts of the daily cost of the demo organization', () => {
  it('have bands that hold of four in five days, of all accounts together and of each [G-120]', async function () {
    this.timeout(300_000)
    for (const [name, daily] of await demoCosts('2026-11-28'))
      expect(
        heldOf([measured(name, daily)], ({ held }) => held),
        name,
      ).to.be.within(80, 92)
  })
})
