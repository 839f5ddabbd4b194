import { expect } from 'chai'
import type { BillingLine } from '#streams/billing/messages.ts'
import { collected, operated } from '#test/streams/cloud/operating.ts'

const told = (lines: readonly BillingLine[]) =>
  lines.map(({ lineId, SkuId, PricingQuantity, BilledCost }) => [
    lineId.slice(11).split('/').slice(1).join('/'),
    SkuId,
    PricingQuantity,
    BilledCost,
  ])

/** It is 10:30 on 2026-03-16 at first. */
describe('simulated cloud: bills of what was operated on', () => {
  it('charge a machine by the hour at the size it was of, in one line a size, and all later days at the new one', async () => {
    const { act, pass, billed, of } = operated()
    const before = await billed('shop-web-1', '2026-03-15')
    await act('stop', 'shop-web-1')
    await act('resize', 'shop-web-1', { size: 'm5.large' })
    pass(2 * 3600)
    await act('start', 'shop-web-1')
    const id = `2026-03-16/${of('shop-web-1').ref.resourceUid}/run`
    const split = await billed('shop-web-1', '2026-03-16')
    const facts = split.map(({ lineId, SkuId, usageHours, hourlyRateUSD, BilledCost }) => [
      lineId,
      SkuId,
      usageHours,
      hourlyRateUSD,
      BilledCost,
    ])
    expect(facts).to.deep.equal([
      [id, 'aws-ec2:run:m5.xlarge', 11, 0.192, '2.112'],
      [`${id}/2`, 'aws-ec2:run:m5.large', 11, 0.096, '1.056'],
    ])
    const [next] = await billed('shop-web-1', '2026-03-17')
    expect([next?.usageHours, next?.hourlyRateUSD, next?.BilledCost]).to.deep.equal([24, 0.096, '2.304'])
    expect(await billed('shop-web-1', '2026-03-15')).to.deep.equal(before)
    expect(await billed('shop-web-1', '2026-03-16')).to.deep.equal(split)
  })

  it('charge an hour at the size of its beginning, and a size that was taken back within an hour not at all', async () => {
    const { act, pass, billed } = operated()
    await act('set', 'catalog-db', { specs: { instance_type: 'db.r5.large' } })
    pass(600)
    await act('set', 'catalog-db', { specs: { instance_type: 'db.m5.xlarge' } })
    const lines = await billed('catalog-db', '2026-03-16')
    expect(lines.map(({ SkuMeter, BilledCost }) => [SkuMeter, BilledCost])).to.deep.equal([
      ['run', '8.544'],
      ['storage', '0.7419354839'],
    ])
    pass(1200)
    await act('set', 'catalog-db', { specs: { instance_type: 'db.r5.large' } })
    const run = (await billed('catalog-db', '2026-03-16')).filter(({ SkuMeter }) => SkuMeter === 'run')
    expect(run.map(({ usageHours, BilledCost }) => [usageHours, BilledCost])).to.deep.equal([
      [11, '3.916'],
      [13, '3.25'],
    ])
  })

  it('charge a disk by the share of the day it was of a kind and held so many gigabytes', async () => {
    const { act, billed } = operated()
    await act('set', 'migration-scratch-1', { specs: { instance_type: 'gp3', size_gb: 100 } })
    expect(told(await billed('migration-scratch-1', '2026-03-16', '2026-03-17'))).to.deep.equal([
      // 500 GB / 31 days * 11/24 at 0.10, then 100 GB / 31 days * 13/24 at 0.08, then a day of those.
      ['storage', 'aws-ebs-volume:storage:gp2', '7.3924731183', '0.7392473118'],
      ['storage/2', 'aws-ebs-volume:storage:gp3', '1.747311828', '0.1397849462'],
      ['storage', 'aws-ebs-volume:storage:gp3', '3.2258064516', '0.2580645161'],
    ])
  })

  it('charge what is deleted until then, hours, gigabytes and use alike, and no day after', async () => {
    const { act, billed } = operated()
    const [whole] = (await billed('shop-front', '2026-03-16')).filter(({ SkuMeter }) => SkuMeter === 'capacity')
    await act('delete', 'orders-db')
    await act('delete', 'shop-front')
    expect(costs(await billed('orders-db', '2026-03-16'))).to.deep.equal([
      ['run', '11', '11'],
      // 500 GB / 31 days * 11/24 at 0.115.
      ['storage', '7.3924731183', '0.8501344086'],
    ])
    const front = await billed('shop-front', '2026-03-16')
    expect(front.map(({ SkuMeter, usageHours }) => [SkuMeter, usageHours])).to.deep.equal([
      ['run', 11],
      ['capacity', undefined],
    ])
    expect(Number(front[1]!.PricingQuantity)).to.be.closeTo((Number(whole!.PricingQuantity) * 11) / 24, 1e-9)
    for (const name of ['orders-db', 'shop-front'])
      expect(await billed(name, '2026-03-17', '2026-03-20'), name).to.deep.equal([])
  })

  it('charge what takes its time to go until it has gone', async () => {
    const { sim, act, billed } = operated()
    sim.faults.set({ faults: [{ call: 'delete', times: 1, settleSeconds: 3600 }] })
    await act('delete', 'orders-db')
    expect(costs(await billed('orders-db', '2026-03-16'))[0]).to.deep.equal(['run', '12', '12'])
  })

  it('charge no node of a cluster that was deleted', async () => {
    const { act, billed, look } = operated()
    await act('delete', 'shop-prod')
    expect(costs(await billed('shop-general', '2026-03-16', '2026-03-17'))).to.deep.equal([['run', '66', '12.672']])
    expect(await look('shop-general')).to.deep.equal({ exists: false })
  })

  it('tax a month by what it came to', async () => {
    const { sim, act, of } = operated()
    await act('delete', 'orders-db')
    const { account } = of('orders-db')
    const billed = async (from: string, to = from) => (await collected(sim.bill(account, from, to))).flat()
    const usage = (await billed('2026-03-02', '2026-03-31')).concat(
      (await billed('2026-03-01')).filter(({ ChargeCategory }) => ChargeCategory === 'Usage'),
    )
    const tax = (await billed('2026-04-01')).find(({ ChargeCategory }) => ChargeCategory === 'Tax')
    const share = usage.reduce((total, { BilledCost }) => total + Number(BilledCost), 0) * 0.02
    expect(Number(tax?.BilledCost)).to.be.closeTo(share, 1e-8)
  })

  it('tell no metric from the moment on at which it was deleted', async () => {
    const { sim, act, of } = operated()
    const { account, ref } = of('shop-edge')
    await act('delete', 'shop-edge')
    const [from, to] = [new Date('2026-03-16T09:00:00Z'), new Date('2026-03-17T00:00:00Z')]
    const [message, ...more] = await collected(sim.measure(account, [ref], from, to))
    expect(more).to.deep.equal([])
    expect([...new Set(message!.samples.map(({ ts }) => ts))]).to.deep.equal([
      '2026-03-16T09:00:00.000Z',
      '2026-03-16T10:00:00.000Z',
    ])
  })
})

const costs = (lines: readonly BillingLine[]) =>
  lines.map(({ SkuMeter, PricingQuantity, BilledCost }) => [SkuMeter, PricingQuantity, BilledCost])
