import { expect } from 'chai'
import { addDays, dayOf, firstOf, lastOf, monthOf } from '#engine/value/day.ts'
import { actionTold } from '#streams/action/messages.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDiscovered, stateSettled } from '#streams/resource/messages.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { powered } from '#test/harness/saved.ts'

const at = { cloudAccountId: 'acct-1', resourceUid: 'i-1' }

describe('savings of a stopped night, from the action to the reports', () => {
  let org: Tenant
  /** Of a month that is over, so that all of it is in one summary. */
  const day = firstOf(monthOf(addDays(firstOf(monthOf(dayOf(Date.now()))), -1)))
  const next = addDays(day, 1)
  const month = `from=${day}&to=${lastOf(monthOf(day))}`

  const data = async (path: string) => (await org.get(path)).body.data
  const saved = async (query = '') => (await data(`/reports/summary?period=${monthOf(day)}${query}`)).totalSavingsUSD
  const savings = async () => {
    const { items } = await data(`/reports/cost-history?${month}&granularity=monthly`)
    return items[0].savingsUSD as number
  }
  const hasRow = async () => {
    const { rows } = await org.connections.store.pool.query('select 1 from saving where org_id = $1', [org.orgId])
    return rows.length > 0
  }

  before(async () => {
    org = await tenant()
    const found = { ...at, name: 'web', type: 'aws-ec2', provider: 'aws', region: 'us-east-1' } as const
    await org.publish(resourceDiscovered, [{ ...found, instanceType: 'm5.large', hourlyRateUSD: 0.096 }])
    const line = { ...at, lineId: `${day}/1`, provider: 'aws', serviceName: 'ec2', usageDate: day, costUSD: 2 } as const
    await org.publish(billingLine, [{ ...line, exportedAt: `${next}T00:00:00Z` }])
  })

  it('are 10 hours at the rate of before, once, wherever reports show savings', async () => {
    await org.publish(actionTold, [powered('stop', `${day}T20:00:00.000Z`)])
    await until('the claim', hasRow)
    expect(await savings()).to.be.above(50)
    const settled = { ...at, instanceType: 'm5.large', deleted: false, hourlyRateUsd: 0.096 }
    await org.publish(stateSettled, [{ ...settled, status: 'stopped', at: `${day}T20:00:05.000Z` }])
    await org.publish(actionTold, [powered('start', `${next}T06:00:00.000Z`), powered('stop', `${day}T20:00:00.000Z`)])
    await until('the end of the night', async () => (await savings()) < 50)
    expect(await savings()).to.equal(0.96)
    expect([await saved(), await saved('&resource_type=aws-ec2'), await saved('&resource_type=aws-rds')]).to.deep.equal(
      [0.96, 0.96, 0],
    )
    const { items } = await data(`/reports/costs/resources?${month}&group_by=resource`)
    expect(items.map((row: any) => [row.key, row.costUSD, row.savingsUSD])).to.deep.equal([['i-1', 2, 0.96]])
    const trends = (await data(`/reports/trends?from=${day}&to=${addDays(day, 2)}`)).items
    expect(trends.map((row: any) => [row.costUSD, row.savingsUSD])).to.deep.equal([
      [2, 0.384],
      [0, 0.576],
      [0, 0],
    ])
    const rows = await org.facts(
      `SELECT toString(s.day) AS day, toString(s.saved) AS saved, s.basis AS basis, toString(s.observed) AS observed,
         s.estimated AS estimated, s.verified AS verified
       FROM saving_daily AS s FINAL WHERE s.org_id = {org:String} AND s.saved > 0 ORDER BY s.day`,
    )
    const observed = { basis: 'observed', estimated: null, verified: null }
    expect(rows).to.deep.equal([
      { day, saved: '0.384', observed: '0.384', ...observed },
      { day: next, saved: '0.576', observed: '0.576', ...observed },
    ])
  })
})
