import { expect } from 'chai'
import { gibibytesOf, mebibytesOf, millicoresOf, quantityOf } from '#streams/cloud/kubernetes/pod/quantity.ts'
import { statusOf } from '#streams/cloud/kubernetes/object/status.ts'

describe('states of workloads', () => {
  const deployment = (replicas: number | undefined, have: number, ready: number, conditions: object[] = []) =>
    statusOf('deployment', { spec: { replicas }, status: { replicas: have, readyReplicas: ready, conditions } })
  const stuck = [{ type: 'Progressing', status: 'False' }]
  const cases: readonly (readonly [what: string, is: string, wanted: string])[] = [
    ['all are ready', deployment(3, 3, 3), 'running'],
    ['one is left out: one is meant', deployment(undefined, 1, 1), 'running'],
    ['more than wanted while it is rolled out', deployment(3, 4, 3), 'running'],
    ['some are not ready yet', deployment(3, 3, 2), 'starting'],
    ['some never came up, and it has given up', deployment(3, 3, 2, stuck), 'running'],
    ['none ever came up', deployment(3, 3, 0, stuck), 'starting'],
    ['none is wanted, some are there', deployment(0, 2, 2), 'stopping'],
    ['none is wanted', deployment(0, 0, 0), 'stopped'],
    ['a job that works', statusOf('job', { status: { active: 1 } }), 'running'],
    ['a job before its first pod', statusOf('job', {}), 'pending'],
    ['a job that is being suspended', statusOf('job', { spec: { suspend: true }, status: { active: 1 } }), 'stopping'],
    ['a job that is suspended', statusOf('job', { spec: { suspend: true } }), 'stopped'],
    ['a cron job', statusOf('cronjob', {}), 'running'],
    ['a cron job that is suspended', statusOf('cronjob', { spec: { suspend: true } }), 'stopped'],
    ['a daemon set', statusOf('daemonset', {}), 'running'],
  ]
  for (const [what, is, then] of cases) it(`${what}: ${then}`, () => expect(is).to.equal(then))
})

describe('quantities', () => {
  it('are read as Kubernetes writes them', () => {
    const all = {
      '250m': 0.25,
      '0.5': 0.5,
      '2': 2,
      '1e3': 1000,
      '1E3': 1000,
      '1E': 1e18,
      '1500u': 0.0015,
      '1Gi': 2 ** 30,
      '500M': 5e8,
      '64Ki': 65_536,
      '.5': 0.5,
      '5.': 5,
      '12345n': 1.2345e-5,
    }
    for (const [text, units] of Object.entries(all)) expect(quantityOf(text), text).to.be.closeTo(units, units * 1e-12)
    for (const wrong of ['', 'x', '1 Gi', '1gi', '-1', '1e999', '0x10', null, {}, [], Number.NaN])
      expect(quantityOf(wrong), JSON.stringify(wrong)).to.equal(undefined)
  })

  it('are told in whole millicores and mebibytes, and disks in gibibytes', () => {
    expect([0.1, 1.1, 0.0001, 0].map(millicoresOf)).to.deep.equal([100, 1100, 1, 0])
    expect([2 ** 20, 2 ** 20 + 1, 5e8].map(mebibytesOf)).to.deep.equal([1, 2, 477])
    expect([2 ** 30, 5e8].map(gibibytesOf)).to.deep.equal([1, 0.466])
  })
})
