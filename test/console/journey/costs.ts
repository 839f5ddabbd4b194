/** Explore: what rose, what drives it, why, and what was unusual. */
import { expect } from 'chai'
import { settled } from '#test/console/browser.ts'
import { usd, type Journey } from '#test/console/journey/world.ts'

export const costJourneys: readonly Journey[] = [
  {
    task: 'Find what rose most, and whether by usage or by price',
    actionsMax: 4,
    walk: async (hand, { data, days: { from, to } }) => {
      const { dimensions } = await data(`/reports/drivers?from=${from}&to=${to}&compare=previous&limit=10`)
      const [rise] = dimensions.find(({ dimension }: any) => dimension === 'service_name').rises
      await hand.menu('Explorer')
      await hand.choose('previous', hand.page.getByLabel('Compare'))
      const drivers = hand.page.getByRole('region', { name: 'Cost drivers' })
      const first = drivers.getByRole('row').filter({ hasText: rise.label })
      expect(await first.textContent()).to.include(usd(rise.deltaUSD))
      await hand.click(first.getByRole('link', { name: rise.label, exact: true }))
      expect(await hand.page.locator('.costs-total .big').textContent()).to.equal(usd(rise.costUSD))
    },
  },
  {
    task: 'Narrow costs to a service, and share what is shown',
    actionsMax: 6,
    walk: async (hand, { org, data, days: { from, to } }) => {
      const { total } = await data(`/reports/costs/series?from=${from}&to=${to}&filter[service_name]=BigQuery`)
      await hand.menu('Explorer')
      await hand.press('/')
      await hand.type('bigq')
      await hand.page.getByRole('option', { name: /^BigQuery / }).waitFor()
      await hand.press('ArrowDown')
      await hand.press('Enter')
      await hand.page.getByRole('button', { name: 'Remove Service BigQuery' }).waitFor()
      await settled(hand.page)
      await hand.click(hand.page.locator('.view-head').getByRole('button', { name: 'Copy link' }))
      const link = await hand.page.evaluate(() => navigator.clipboard.readText())
      expect(link.startsWith(`${org.url}/console/costs?`), link).to.equal(true)
      await hand.page.goto(link)
      await settled(hand.page)
      expect(await hand.page.locator('.costs-total .big').textContent()).to.equal(usd(total.costUSD))
    },
  },
  {
    task: 'Prove a figure by the bill lines that sum to it',
    actionsMax: 2,
    walk: async (hand, { data, days: { from, to } }) => {
      const { totalUSD } = await data(`/reports/receipt?from=${from}&to=${to}&limit=1`)
      await hand.menu('Explorer')
      await hand.click(hand.page.locator('.costs-total a.amount'))
      const exact = await hand.page.locator('.receipt output').textContent()
      expect(exact?.replaceAll(',', '')).to.equal(`${totalUSD} USD`)
      await hand.page.keyboard.press('Escape')
    },
  },
  {
    task: 'Read the story of an anomaly, and mark it as expected',
    actionsMax: 2,
    walk: async (hand, { data }) => {
      const panel = hand.page.getByRole('region', { name: 'Anomalies' })
      const first = panel.locator('.stories > li').first()
      const cause = await first.locator('.cause').textContent()
      await hand.click(first.locator('a.what'))
      expect(await hand.page.locator('.opened .sentence').textContent()).to.equal(cause)
      const id = new URL(hand.page.url()).searchParams.get('anomaly')
      await hand.button('Mark as expected')
      await hand.page.locator('.opened .badge.good', { hasText: 'expected' }).first().waitFor()
      expect((await data(`/reports/anomalies/${id}`)).review.state).to.equal('expected')
    },
  },
  {
    task: 'See what each Kubernetes namespace costs, and its workloads',
    actionsMax: 2,
    walk: async (hand, { data, days: { from, to } }) => {
      const { items } = await data(`/reports/kubernetes?from=${from}&to=${to}&group_by=namespace&idle=shown`)
      const largest = items.find(({ kind }: any) => kind === 'workload')
      await hand.menu('Kubernetes')
      const row = hand.page.getByRole('table', { name: 'Cost by namespace' }).getByRole('row')
      const of = row.filter({ hasText: largest.label }).filter({ hasText: usd(Number(largest.costUSD)) })
      await hand.click(of.locator('.group a'))
      expect(await hand.page.getByRole('table', { name: 'Cost by workload' }).getByRole('row').count()).to.be.at.least(
        3,
      )
    },
  },
  {
    task: 'See what an order costs',
    actionsMax: 1,
    walk: async (hand, { data, days: { from, to } }) => {
      const [{ id }] = (await data('/unit-metrics')).items
      const { totalCostUSD, totalUnits } = await data(`/reports/unit-economics?from=${from}&to=${to}&metric=${id}`)
      await hand.menu('Unit economics')
      const big = await hand.page.getByRole('region', { name: 'Unit economics' }).locator('.big').allTextContents()
      expect(big.slice(1)).to.deep.equal([usd(totalCostUSD), totalUnits.toLocaleString('en-US')])
      expect(Number(big[0]!.slice(1))).to.be.closeTo(totalCostUSD / totalUnits, 0.01)
    },
  },
]
