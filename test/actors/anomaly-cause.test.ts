/** The sentence of an anomaly: parts are never more than the whole without a word on what fell. */
import { expect } from 'chai'
import { leftOver, sentence, type Breakdown, type Cause } from '#actors/anomaly/cause.ts'

const cause = (usd: number, name = 'Usage spike', told = 'r1 was used more'): Cause => ({ name, usd, told })
const ofService = (spike_service: string, spike_service_usd: number) =>
  ({ spike_service, spike_service_usd }) as Breakdown

describe('the sentence of an anomaly', () => {
  it('gives the share of what a cause explains, all of it at most [ANOM-20]', () => {
    expect(sentence(cause(36), 60, undefined)).to.equal(
      'Usage spike: r1 was used more, which explains 36.00 of the 60.00 US dollars above the baseline (60%).',
    )
    expect(sentence(cause(60.004), 60, undefined)).to.include(
      'explains 60.00 of the 60.00 US dollars above the baseline',
    )
    expect(sentence(cause(60.005), 60, undefined)).to.equal(
      'Usage spike: r1 was used more, which added 60.01 US dollars, while all other costs fell by 0.01: 60.00 US dollars above the baseline remain.',
    )
  })

  it('gives no share to what did not rise', () => {
    for (const usd of [0, 0.004, -3])
      expect(sentence(cause(usd), 60, undefined)).to.equal(
        'Usage spike: r1 was used more, on a day that was 60.00 US dollars above the baseline.',
      )
  })

  it('names the largest rise of one resource where that is another cause', () => {
    const top = cause(40, 'Instance resize', 'the rate of r2 went up')
    const whole = cause(50, 'Resource-type spike', 'resources of type aws-ec2')
    expect(sentence(whole, 60, top)).to.match(
      / \(83%\)\. Largest increase of a single resource: the rate of r2 went up \(instance resize, 40\.00\)\.$/,
    )
    for (const other of [undefined, whole]) expect(sentence(whole, 60, other)).to.match(/\(83%\)\.$/)
  })

  it('says of an unexplained increase which service without a resource is most of it, or more than all of it', () => {
    const told = (excess: number, usd: number, service = 'Tax') =>
      sentence(undefined, excess, undefined, leftOver(excess, ofService(service, usd)))
    expect(told(100, 59.9)).to.equal('Unexplained increase: 100.00 US dollars above the baseline.')
    expect(told(100, 80, '')).to.equal('Unexplained increase: 100.00 US dollars above the baseline.')
    expect(told(100, 60)).to.equal(
      'Unexplained increase: 100.00 US dollars above the baseline, 60.00 of it for Tax charges without a resource.',
    )
    expect(told(120.45, 177.08)).to.equal(
      'Unexplained increase: 120.45 US dollars above the baseline: Tax charges without a resource rose by 177.08, while all other costs fell by 56.63.',
    )
  })
})
