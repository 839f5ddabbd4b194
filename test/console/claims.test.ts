// tier: deep
import { expect } from 'chai'
import type { Locator } from 'playwright-core'
import { addDays, dayOf } from '#engine/value/day.ts'
import { actionTold } from '#streams/action/messages.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { jobRequested } from '#streams/job.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { describeConsole, findings as axe, look, settled, type Seen } from '#test/console/browser.ts'
import { recommended } from '#test/harness/recommendation.ts'
import { powered } from '#test/harness/saved.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const panel = (of: Seen, title: string) => of.page.locator(`section.panel[aria-label="${title}"]`)

describeConsole('the console: what savings rest on', () => {
  let org: Tenant
  let seen: Seen
  let today: string
  const back = (days: number) => addDays(today, -days)
  const data = async (path: string) => (await org.get(path)).body.data
  const usd = (value: number) => `${value < 0 ? '-' : ''}$${Math.abs(value).toFixed(2)}`
  const machine = { cloudAccountId: 'acct-1', resourceUid: 'i-1' }
  const cells = async (of: Locator): Promise<string[]> => of.locator('td').allTextContents()

  /** A machine's run and disk of a day. */
  const lines = (day: string, hours: number) => {
    const of = { ...machine, provider: 'aws' as const, serviceName: 'Amazon EC2', usageDate: day }
    const more = { source: 'actual' as const, exportedAt: `${addDays(day, 1)}T00:00:00Z` }
    const run = { ...of, ...more, lineId: `${day}/run`, usageHours: hours, costUSD: Number((hours * 0.384).toFixed(3)) }
    const disk = { ...of, ...more, lineId: `${day}/disk`, costUSD: 0.8, SkuMeter: 'EBS:VolumeUsage.gp3' }
    return hours > 0 ? [run, disk] : [disk]
  }
  const committed = (lineId: string, costUSD: number, status: string, more: object = {}) => ({
    lineId,
    cloudAccountId: 'acct-2',
    provider: 'aws' as const,
    serviceName: 'AmazonEC2',
    usageDate: back(3),
    costUSD,
    source: 'actual' as const,
    exportedAt: `${back(2)}T00:00:00Z`,
    purchaseType: 'reserved' as const,
    EffectiveCost: String(costUSD),
    PricingCategory: 'Committed',
    CommitmentDiscountId: 'ri-1',
    CommitmentDiscountName: 'Three years <b>',
    CommitmentDiscountType: 'Reserved Instance',
    CommitmentDiscountCategory: 'Usage',
    CommitmentDiscountStatus: status,
    ...more,
  })

  before(async () => {
    org = await tenant()
    today = dayOf(org.connections.clock.now())
    const web = { ...machine, name: 'web', type: 'aws-ec2', provider: 'aws' as const, region: 'us-east-1' }
    await org.publish(resourceDiscovered, [{ ...web, instanceType: 'm5.2xlarge', hourlyRateUSD: 0.384 }])
    const all = Array.from({ length: 40 }, (_, n) => 41 - n).flatMap((n) =>
      lines(back(n), n > 10 ? 24 : n === 10 ? 12 : 0),
    )
    await org.publish(billingLine, [
      ...all,
      committed('c-1', 8, 'Used', { ContractedCost: '13', ResourceId: 'i-9' }),
      committed('c-2', 2, 'Unused'),
    ] as never)
    await org.publish(actionTold, [powered('stop', `${back(10)}T12:00:00.000Z`)])
    const claims = async () => (await data('/reports/savings/claims')).items as any[]
    await until('the claim', async () => (await claims()).length === 1)
    const path = `/reports/summary?from=${back(41)}&to=${today}`
    await until('the sums', async () => (await data(path)).totalCostUSD > 300)
    await org.publish(jobRequested, [{ job: 'savings', runId: 'r-1' }] as never)
    await until('the proof', async () => (await claims())[0].provedDays > 0)
    await recommended(org, { savings_usd: 40 })
    seen = await look(org)
  })
  after(() => seen?.close())

  it('is told claim by claim, and of each day to the last digit, down to the lines of its bill', async () => {
    const [claim] = (await data('/reports/savings/claims')).items
    await seen.open('savings?tab=claims')
    const row = seen.page.getByRole('table', { name: 'Claims' }).locator('tbody tr')
    expect((await cells(row)).slice(3)).to.deep.equal(['$73.73', usd(claim.observedUSD), usd(0), '82 not'])
    await row.getByRole('link', { name: 'i-1' }).click()
    await seen.page.getByRole('heading', { name: 'Daily savings' }).waitFor()
    await settled(seen.page)
    const receipt = await data(`/reports/savings/claims/${claim.id}`)
    expect(await panel(seen, 'Claim receipt').locator('.bases .big').allTextContents()).to.deep.equal(
      [receipt.verifiedUSD, receipt.observedUSD, receipt.estimatedUSD].map(usd),
    )
    const days = seen.page.getByRole('table', { name: 'Last 45 days of the claim' }).locator('tbody tr')
    const shown = await Promise.all((await days.all()).map(cells))
    expect(shown.map((one) => one.slice(1, 4))).to.deep.equal(
      receipt.days
        .toReversed()
        .map((day: any) => [day.estimatedUSD, day.observedUSD, day.verifiedUSD].map((value) => value ?? '–')),
    )
    expect(shown.filter(([, , , verified]) => verified === '9.216').length).to.equal(8)
    const at = receipt.days.toReversed().findIndex(({ date }: any) => date === back(5))
    const proved = days.nth(at)
    expect((await cells(proved)).slice(4, 6)).to.deep.equal(['10.016', '$0.80'])
    await proved.getByRole('link').click()
    await seen.page.getByRole('dialog').getByText('Sum of 1 line').waitFor()
    expect(await seen.page.getByRole('dialog').locator('output').textContent()).to.equal('0.8 USD')
    expect(await axe(seen.page)).to.deep.equal([])
    expect(seen.faults).to.deep.equal([])
  })

  it('is told of what comes, claims that run apart from what is open', async () => {
    await seen.open('savings?tab=projection')
    const { runningClaims, provedClaims, runRate, open } = await data('/reports/savings/projection')
    expect([runningClaims, provedClaims]).to.deep.equal([1, 1])
    const running = await panel(seen, 'Active claims').textContent()
    expect(running).to.include('1 claim, of which 1 has a day verified by bills')
    for (const { verifiedUSD } of runRate) expect(running).to.include(usd(verifiedUSD))
    const rows = panel(seen, 'Open recommendations, by realization rate').locator('tbody tr')
    const shown = await Promise.all((await rows.all()).map(cells))
    expect(shown.map((one) => [one[1], one[3]])).to.deep.equal(
      open.items.map((one: any) => [usd(one.openEstimatedUSD), usd(one.expectedUSD)]),
    )
    expect(open.items.length).to.equal(1)
    expect(seen.faults).to.deep.equal([])
  })

  it('has commitments beside it: what is used, what nobody uses, and what they save', async () => {
    await seen.open('savings?tab=commitments')
    // 8 of 10 dollars used, for what would cost 13 without.
    const tiles = seen.page.getByRole('region', { name: 'All commitments' }).locator('.big')
    expect((await tiles.allTextContents()).filter((_, at) => at !== 2)).to.deep.equal(['80%', '$2.00', '$3.00', '0'])
    const row = seen.page.getByRole('table', { name: 'Commitments' }).locator('tbody tr')
    const shown = await cells(row)
    expect(shown[0]).to.include('Three years <b>')
    expect(shown).to.include.members(['$10.00', '$2.00', '$3.00'])
    const { totals } = await data('/reports/commitments')
    expect([totals.committedUSD, totals.unusedUSD, totals.netSavingsUSD, totals.utilization].map(Number)).to.deep.equal(
      [10, 2, 3, 0.8],
    )
    expect(await axe(seen.page)).to.deep.equal([])
    expect(seen.faults).to.deep.equal([])
  })
})
