// tier: deep
import { expect } from 'chai'
import { addDays, dayOf } from '#engine/value/day.ts'
import { actionTold } from '#streams/action/messages.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { jobRequested } from '#streams/job.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { savingClaimed } from '#streams/saving.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { appliedAt, powered } from '#test/harness/saved.ts'

const account = 'acct-1'
const machine = { cloudAccountId: account, type: 'aws-ec2', provider: 'aws', region: 'us-east-1' } as const
const price = 0.4

describe('savings on resources whose bills or names do not stay as they were', () => {
  let org: Tenant
  let today = ''
  const back = (days: number) => addDays(today, -days)
  const data = async (path: string) => (await org.get(path)).body.data

  /** What 24 hours of a machine cost, so many days ago. */
  const line = (resourceUid: string, n: number, more: object = {}) => ({
    lineId: `${back(n)}/${resourceUid}`,
    cloudAccountId: account,
    resourceUid,
    provider: 'aws' as const,
    serviceName: 'Amazon EC2',
    usageDate: back(n),
    source: 'actual' as const,
    exportedAt: `${back(n - 1)}T00:00:00Z`,
    usageHours: 24,
    costUSD: 9.6,
    ChargeCategory: 'Usage',
    ...more,
  })
  const counts = (first: number, last: number) => Array.from({ length: first - last + 1 }, (_, n) => first - n)
  /** A line a day from `first` to `last` days ago. */
  const billed = (uid: string, first: number, last: number, more: object | ((n: number) => object) = {}) =>
    counts(first, last).map((n) => line(uid, n, typeof more === 'function' ? more(n) : more))
  const bill = (...lines: object[][]) => org.publish(billingLine, lines.flat() as never)
  const found = (resourceUid: string, more: object = {}) => ({
    ...machine,
    resourceUid,
    name: resourceUid,
    instanceType: 'm5.2xlarge',
    hourlyRateUSD: price,
    ...more,
  })
  const discover = (resources: object[], time?: string) =>
    org.publish(resourceDiscovered, resources as never, time === undefined ? {} : { time: new Date(time) })
  const noon = (n: number) => `${back(n)}T12:00:00.000Z`
  const stopped = (resourceUid: string, n: number) =>
    powered('stop', noon(n), { resourceUid, actionId: `a-${resourceUid}` })

  const claimOf = async (uid: string) => (await data(`/reports/savings/claims?resource_uid=${uid}`)).items[0]
  /** By days ago: what is proved, or why it is not. */
  const proofs = async (uid: string): Promise<Record<number, string>> => {
    const rows = await org.facts(
      `SELECT dateDiff('day', s.day, toDate32('${today}')) AS ago, ifNull(toString(s.verified), s.reason) AS said
       FROM saving_daily AS s FINAL WHERE s.org_id = {org:String} AND s.resource_uid = '${uid}' AND said != ''`,
    )
    return Object.fromEntries(rows.map(({ ago, said }: any) => [Number(ago), said]))
  }
  const prove = async (what: string, isSo: () => Promise<boolean>) => {
    await until(what, async () => {
      await org.publish(jobRequested, [{ job: 'savings', runId: `r-${Math.random()}` }] as never)
      return isSo()
    })
  }
  /** Waits until the bill of the day is that of `usd`. */
  const summed = (n: number, usd: number) =>
    until('the sums', async () => {
      const { totalCostUSD } = await data(`/reports/summary?from=${back(n)}&to=${back(n)}`)
      return Math.abs(totalCostUSD - usd) < 0.01
    })

  beforeEach(async () => {
    org = await tenant()
    today = dayOf(org.connections.clock.now())
  })

  it('prove nothing of a resource that no bill has, and say so', async () => {
    await discover([found('i-1'), found('i-2')])
    // The bill of the account is there: it has another machine.
    await bill(billed('i-2', 40, 2))
    await summed(2, 9.6)
    await org.publish(actionTold, [stopped('i-1', 6)])
    await prove('the reason', async () => (await proofs('i-1'))[3] !== undefined)
    expect(await proofs('i-1')).to.deep.equal({
      6: 'first_day',
      5: 'no_bill',
      4: 'no_bill',
      3: 'no_bill',
      2: 'no_bill',
      1: 'not_closed',
    })
    expect(await claimOf('i-1')).to.include({ provedDays: 0, unprovedDays: 6, verifiedUSD: 0 })
  })

  it('are proved in dollars where the bill is in another currency, at the rate of each day', async () => {
    await discover([found('i-1')])
    // 8 euros a day, of 1.25 dollars before and of 1.1 on the days after, of which half a day was run.
    const euros = { BillingCurrency: 'EUR', costUSD: undefined }
    await bill(
      billed('i-1', 40, 6, { ...euros, BilledCost: '8', usdRate: 1.25 }),
      billed('i-1', 5, 2, { ...euros, BilledCost: '4', usdRate: 1.1, usageHours: 12 }),
    )
    await summed(2, 4.4)
    await org.publish(actionTold, [stopped('i-1', 6)])
    await prove('the proof', async () => (await proofs('i-1'))[2] !== undefined)
    // 24 hours at what an hour is on the day, 4.4 / 12, less the 4.4 of the bill.
    const { 5: five, 2: two } = await proofs('i-1')
    expect([five, two].map(Number)).to.deep.equal([4.4, 4.4])
  })

  it('take lines of a currency without a rate for none, and are right once these come with one', async () => {
    await discover([found('i-1'), found('i-2'), found('i-3')])
    const euros = { BillingCurrency: 'EUR', costUSD: undefined, BilledCost: '8' }
    const [never, after] = [billed('i-1', 40, 2, euros), billed('i-3', 5, 2, euros)]
    await bill(billed('i-2', 40, 2), never, billed('i-3', 40, 6), after)
    await summed(2, 9.6)
    await org.publish(actionTold, [stopped('i-1', 6), stopped('i-3', 6)])
    await prove('the proof', async () => (await proofs('i-3'))[2] !== undefined)
    expect([(await proofs('i-1'))[3], (await proofs('i-3'))[3]]).to.deep.equal(['no_bill', '9.6'])
    await bill(after.map((one) => ({ ...one, usdRate: 1.25, BilledCost: '2', usageHours: 6 })))
    // 18 of 24 hours at 2.5 / 6 dollars.
    await prove('the same lines, with a rate', async () => (await proofs('i-3'))[3] === '7.5')
  })

  it('go on under a new name of the resource', async () => {
    await discover([found('i-1')], noon(20))
    await bill(billed('i-1', 40, 7), billed('i-1', 6, 2, { usageHours: 12, costUSD: 4.8 }))
    await summed(2, 4.8)
    await org.publish(actionTold, [stopped('i-1', 7)])
    await prove('the proof', async () => (await proofs('i-1'))[2] !== undefined)
    const { id } = await claimOf('i-1')
    await discover([found('i-1', { name: 'renamed', status: 'stopped' })])
    await until('the name', async () => (await data('/resources?search=renamed')).length === 1)
    await bill([line('i-1', 3, { usageHours: 6, costUSD: 2.4, exportedAt: `${today}T00:00:00Z` })])
    await prove('the restated day', async () => (await proofs('i-1'))[3] === '7.2')
    expect(await claimOf('i-1')).to.include({ id, provedDays: 5, verifiedUSD: 26.4, status: 'running' })
    const { items } = await data(`/reports/savings?group_by=resource&from=${back(6)}&to=${back(2)}`)
    expect(items.map(({ key, label, verifiedUSD }: any) => [key, label, verifiedUSD])).to.deep.equal([
      ['i-1', 'renamed', 26.4],
    ])
  })

  it('are not proved from the day on that another account is billed for the resource', async () => {
    await discover([found('i-1'), found('i-2')])
    await bill(
      billed('i-2', 40, 2),
      billed('i-1', 40, 7),
      billed('i-1', 6, 5, { usageHours: 12, costUSD: 4.8 }),
      billed('i-1', 4, 2, { cloudAccountId: 'acct-2', usageHours: 12, costUSD: 4.8 }),
    )
    await summed(2, 14.4)
    await org.publish(actionTold, [stopped('i-1', 7)])
    await prove('the proof', async () => (await proofs('i-1'))[2] !== undefined)
    const { 6: six, 5: five, 4: four, 3: three, 2: two } = await proofs('i-1')
    expect([six, five, four, three, two]).to.deep.equal(['4.8', '4.8', 'moved', 'moved', 'moved'])
  })

  it('end when what was deleted is made again under the same uid, and are proved until then', async () => {
    await discover([found('i-1'), found('i-2')], noon(20))
    await bill(billed('i-2', 40, 2), billed('i-1', 40, 8), billed('i-1', 4, 2))
    await summed(2, 19.2)
    const aim = { resourceUid: 'i-1', ruleId: 'RC-1003', actionType: 'delete', savingsUsd: '288.00' } as const
    await org.publish(savingClaimed, [appliedAt(noon(8), aim)])
    await until('the claim', async () => (await claimOf('i-1')) !== undefined)
    const gone = { resourceUid: 'i-1', cloudAccountId: account, provider: 'aws' } as const
    await org.publish(resourceDeleted, [gone], { time: new Date(noon(8)) })
    await discover([found('i-1')], noon(5))
    await until('the end', async () => (await claimOf('i-1')).status === 'ended')
    expect(await claimOf('i-1')).to.include({ until: noon(5), endedBy: 'left' })
    await prove('the proof', async () => (await proofs('i-1'))[5] !== undefined)
    // What was made anew is not its doing: nothing is proved, nor taken back, behind its end.
    expect(await proofs('i-1')).to.deep.equal({ 8: 'first_day', 7: '9.6', 6: '9.6', 5: '9.6' })
    await discover([found('i-1', { status: 'running' })])
    expect((await claimOf('i-1')).endedBy).to.equal('left')
  })

  it('are those of a bill that is replaced after they have ended', async () => {
    await discover([found('i-1')], noon(20))
    await bill(billed('i-1', 40, 9), billed('i-1', 8, 6, { usageHours: 0, costUSD: 0.8 }), billed('i-1', 5, 2))
    await summed(2, 9.6)
    const start = powered('start', noon(5), { resourceUid: 'i-1' })
    const manual = { source: { type: 'manual' as const, id: 'u-1' } }
    await org.publish(actionTold, [
      { ...stopped('i-1', 9), ...manual },
      { ...start, ...manual },
    ])
    await prove('the proof', async () => (await proofs('i-1'))[6] === '9.6')
    const before = await claimOf('i-1')
    expect(before).to.include({ status: 'ended', until: noon(5), endedBy: 'left' })
    await bill([line('i-1', 7, { usageHours: 10, costUSD: 4, exportedAt: `${today}T00:00:00Z` })])
    await prove('the replaced day', async () => (await proofs('i-1'))[7] === '5.6')
    const after = await claimOf('i-1')
    expect(Number((before.verifiedUSD - after.verifiedUSD).toFixed(2))).to.equal(4)
    expect([after.provedDays, after.until]).to.deep.equal([before.provedDays, before.until])
  })
})
