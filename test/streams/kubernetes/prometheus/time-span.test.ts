import { expect } from 'chai'
import { matcherOf, selectorText, type PrometheusSeries } from '#streams/kubernetes/prometheus/series.ts'
import { increaseIn, integralIn, secondsOf, spansOf, together } from '#streams/kubernetes/prometheus/time-span.ts'

const hour = { from: 0, to: 3_600_000 }
/** Pairs of seconds and values. */
const series = (...samples: [number, number][]): PrometheusSeries => ({
  labels: {},
  times: samples.map(([seconds]) => seconds * 1000),
  values: samples.map(([, value]) => value),
})

describe('what samples say of an hour', () => {
  it('is what lies between two of them that are at most five minutes apart', () => {
    const there = series([0, 1], [300, 1], [601, 1], [660, 1])
    expect(spansOf(there, hour)).to.deep.equal([
      { from: 0, to: 300_000 },
      { from: 601_000, to: 660_000 },
    ])
    expect(secondsOf(spansOf(there, hour))).to.equal(359)
    expect(increaseIn(series([0, 0], [300, 30], [601, 100], [660, 106]), hour)).to.equal(36)
  })

  it('is of what lies half in the hour its part, so that two hours add up to both', () => {
    const across = series([3480, 0], [3540, 60], [3660, 300], [3720, 360])
    const next = { from: hour.to, to: 2 * hour.to }
    expect([increaseIn(across, hour), increaseIn(across, next)]).to.deep.equal([180, 180])
    expect([secondsOf(spansOf(across, hour)), secondsOf(spansOf(across, next))]).to.deep.equal([120, 120])
    expect([integralIn(across, hour), integralIn(across, next)]).to.deep.equal([3600, 60 * 60 + 300 * 60])
  })

  it('counts a counter that fell from nothing again, and makes up nothing before it or behind it', () => {
    expect(increaseIn(series([60, 500], [120, 560], [180, 7], [240, 67]), hour)).to.equal(60 + 7 + 60)
    expect(increaseIn(series([60, 500]), hour)).to.equal(0)
  })

  it('ends with a value that is no number, however soon there is another one', () => {
    const stale = series([0, 1], [60, 1], [75, Number.NaN], [120, 1], [180, 1])
    expect(secondsOf(spansOf(stale, hour))).to.equal(120)
    expect(secondsOf(spansOf(series([0, 1], [60, 1], [120, 0], [180, 1]), hour, (value) => value === 1))).to.equal(60)
  })

  it('is of two replicas once', () => {
    const both = together([series([0, 1], [60, 1], [120, Number.NaN]), series([30, 1], [90, 1], [120, 1])])
    expect(secondsOf(spansOf(both, hour))).to.equal(120)
  })
})

describe('matchers', () => {
  it('are read as queries write them, and written so', () => {
    const given = ['cluster="prod"', ' env =~ "a|b" ', 'job!="x"', 'text!~"a\\"b\\\\c\\nd"']
    const matchers = given.map((one) => matcherOf(one)!)
    expect(matchers).to.deep.equal([
      { label: 'cluster', operator: '=', value: 'prod' },
      { label: 'env', operator: '=~', value: 'a|b' },
      { label: 'job', operator: '!=', value: 'x' },
      { label: 'text', operator: '!~', value: 'a"b\\c\nd' },
    ])
    expect(selectorText({ name: 'up', matchers })).to.equal(
      'up{cluster="prod",env=~"a|b",job!="x",text!~"a\\"b\\\\c\\nd"}',
    )
  })

  it('are no other text, and choose no other series', () => {
    const wrong = ['', 'cluster', 'cluster=prod', 'a="b",c="d"', 'a="b"} or up{', 'a="b\\x"', '1a="b"', '__name__="up"']
    expect(wrong.filter((one) => matcherOf(one) !== undefined)).to.deep.equal([])
  })
})
