import { expect } from 'chai'
import fc from 'fast-check'
import { allRules, ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { confidenceOf, priorityOf, severityBy, severityOf } from '#actors/recommendation/rule/severity.ts'
import { severityRank, type MetricCoverage } from '#streams/recommendation.ts'

const rules = allRules()

const measured = (...metrics: [string, number][]): MetricCoverage =>
  Object.fromEntries(metrics.map(([name, days]) => [name, { days, stepSeconds: 300, coverage: { '14d': 1 } }]))

describe('the severity of a finding of cost [REC-31, G-65, S-25]', () => {
  const ofSpend: [number, number, number, string][] = [
    [1000, 1, 20_000, 'critical'],
    [999.99, 1, 20_000, 'high'],
    [200, 1, 20_000, 'high'],
    [199.99, 1, 20_000, 'medium'],
    [50, 1, 20_000, 'medium'],
    [49.99, 1, 20_000, 'low'],
    [10, 1, 20_000, 'low'],
    [9.99, 1, 20_000, 'info'],
    [1000, 0.75, 20_000, 'high'],
    [100, 1, 2000, 'critical'],
    [0, 1, 20_000, 'info'],
    [0.05, 1, 0, 'critical'],
    [0.1 + 0.2 - 0.2, 1, 2, 'critical'],
  ]
  for (const [savings, confidence, spend, severity] of ofSpend)
    it(`is ${severity} for ${savings} USD at ${confidence} of ${spend} USD`, () => {
      expect(severityOf(savings, confidence, spend)).to.equal(severity)
    })

  const ofDollars: [number, number, string][] = [
    [1000, 1, 'critical'],
    [999.99, 1, 'high'],
    [250, 1, 'high'],
    [249.99, 1, 'medium'],
    [50, 1, 'medium'],
    [10, 1, 'low'],
    [9.99, 1, 'info'],
    [1000, 0.5, 'high'],
  ]
  for (const [savings, confidence, severity] of ofDollars)
    it(`is ${severity} for ${savings} USD at ${confidence} while nothing was billed`, () => {
      expect(severityOf(savings, confidence, null)).to.equal(severity)
    })

  it('rises with what is saved, and falls with what is spent', () => {
    const usd = fc.double({ min: 0, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(usd, usd, usd, (a, b, spend) => {
        const [less, more] = a < b ? [a, b] : [b, a]
        expect(severityRank(severityOf(less, 1, spend))).to.be.at.most(severityRank(severityOf(more, 1, spend)))
        expect(severityRank(severityOf(a, 1, spend + b))).to.be.at.most(severityRank(severityOf(a, 1, spend)))
      }),
    )
  })

  it("is the rule's own for a finding of risk, whatever it could save [REC-32]", () => {
    const rule = ruleOf('RC-1418')!
    expect(rule.severity).to.deep.equal({ mode: 'risk', level: 'critical', finding: 'security' })
    expect(severityBy(rule, 0, 1, 20_000)).to.equal('critical')
    expect(severityBy(ruleOf('RC-1006')!, 1000, 1, 20_000)).to.equal('critical')
  })
})

describe('confidence', () => {
  const rule = ruleOf('RC-1006')!
  for (const [days, factor] of [
    [14, 1],
    [90, 1],
    [13, 0.75],
    [7, 0.75],
    [6, 0.5],
    [0, 0.5],
  ] as const)
    it(`is ${factor} after ${days} days of metrics`, () => {
      expect(confidenceOf(rule, measured(['connections', days], ['cpu_percent', 90], ['iops', 90]))).to.equal(factor)
    })

  it('is 1 for rules that read no metric, and goes by those the resource has', () => {
    expect(confidenceOf(ruleOf('RC-1301')!, {})).to.equal(1)
    expect(confidenceOf(ruleOf('RC-1101')!, measured(['cpu_percent', 20]))).to.equal(1)
    expect(confidenceOf(rule, measured(['requests', 20]))).to.equal(0.5)
  })
})

describe('priority', () => {
  it('weighs money by confidence and by what the change disturbs', () => {
    const stop = ruleOf('RC-1001')!
    expect(stop.action.effect).to.equal('outage')
    expect(priorityOf(stop, 500, 1, 20_000)).to.equal(30)
    expect(priorityOf(stop, 5000, 0.75, 20_000)).to.equal(45)
    expect(priorityOf(stop, 500, 1, null)).to.equal(30)
    expect(priorityOf(stop, -5, 1, 20_000)).to.equal(0)
  })

  it('lies between 0 and 100, higher for the higher risk', () => {
    for (const rule of rules) expect(priorityOf(rule, 1e9, 1, 1)).to.be.within(0, 100)
    const root = ruleOf('RC-1418')!
    expect(priorityOf(root, 0, 1, 20_000)).to.equal(100)
    expect(priorityOf({ ...root, severity: { mode: 'risk', level: 'low', finding: 'security' } }, 0, 1, 1)).to.equal(10)
  })
})
