import { expect } from 'chai'
import { addDays, dayOf, days } from '#engine/value/day.ts'
import { describeConsole, look, settled, type Seen } from '#test/console/browser.ts'
import { deliver, sendLoneLines, type Item } from '#test/harness/delivery.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const today = (org: Tenant): string => dayOf(new Date(org.connections.clock.now()))

describeConsole('the console: overview and receipt', () => {
  let org: Tenant
  let seen: Seen

  before(async () => {
    org = await tenant()
    const day = today(org)
    const items: Item[] = [
      [day, 'i-1', '40.123456789'],
      [day, 'i-2', '25.5', { serviceName: 'database' }],
      [`${day.slice(0, 7)}-01`, 'i-3', '0.000000011'],
      // Names are text, whatever they hold.
      [day, '<script>alert(1)</script>', '1', { serviceName: '<img src=x onerror=alert(1)>' }],
      [day, 'مورد', '2', { serviceName: 'خدمة' }],
      [day, 'x'.repeat(480), '3', { serviceName: 'y'.repeat(200) }],
    ]
    await deliver(org, { id: 'e1', at: new Date(org.connections.clock.now()).toISOString(), items })
    seen = await look(org)
  })
  after(() => seen?.close())

  it('shows the figures of the API', async () => {
    const { body } = await org.get('/reports/summary')
    expect(body.data.totalCostUSD).to.equal(71.62)
    expect(await seen.page.locator('.tile', { hasText: 'Month to date' }).locator('.big').textContent()).to.equal(
      '$71.62',
    )
    expect(seen.faults).to.deep.equal([])
  })

  it('leads from a tile to the lines that sum to it, to the last digit', async () => {
    await seen.page.locator('.tile', { hasText: 'Month to date' }).locator('a.amount').click()
    await seen.page.waitForSelector('.receipt output')
    await settled(seen.page)
    // 40.123456789 + 25.5 + 0.000000011 + 1 + 2 + 3
    expect(await seen.page.locator('.receipt output').textContent()).to.equal('71.6234568 USD')
    expect(await seen.page.locator('.receipt tbody tr').count()).to.equal(6)
    const costs = await seen.page.locator('.receipt tbody tr td:nth-child(2) .exact').allTextContents()
    expect(costs.toSorted()).to.deep.equal(['0.000000011', '1', '2', '25.5', '3', '40.123456789'])
    expect(seen.faults).to.deep.equal([])
  })

  it('keeps the open receipt in its address, and gives the keyboard back when it closes', async () => {
    const { search } = new URL(seen.page.url())
    const close = async () => {
      await seen.page.keyboard.press('Escape')
      await seen.page.waitForSelector('dialog', { state: 'detached' })
      expect(new URL(seen.page.url()).search).to.equal('')
    }
    await close()
    await seen.move(search)
    await seen.page.waitForSelector('.receipt output')
    expect(await seen.page.locator('.receipt output').textContent()).to.equal('71.6234568 USD')
    await close()
  })

  it('shows names as text, whatever they hold', async () => {
    await seen.page.locator('.tile', { hasText: 'Month to date' }).locator('a.amount').click()
    await seen.page.locator('.receipt').getByText('<img src=x onerror=alert(1)>').first().waitFor()
    expect(await seen.page.locator('main img, main script, .receipt img, .receipt script').count()).to.equal(0)
    await seen.page.keyboard.press('Escape')
    await seen.page.waitForSelector('dialog', { state: 'detached' })
    expect(seen.faults).to.deep.equal([])
  })

  it('shows a line that was published a moment ago, without loading the page again', async () => {
    await seen.page.waitForSelector('.live.live')
    await seen.page.evaluate(() => Object.assign(globalThis, { isSame: true }))
    const big = seen.page.locator('.tile', { hasText: 'Month to date' }).locator('.big')
    await sendLoneLines(org, [[today(org), 'i-9', '100']])
    await big.filter({ hasText: '$171.62' }).waitFor()
    expect(await seen.page.evaluate(() => 'isSame' in globalThis)).to.equal(true)
    expect(seen.faults).to.deep.equal([])
  })

  deepIt(
    'compares the settled days of the newest month that has any with the same days of the one before [G-115]',
    async () => {
      const own = await tenant()
      const settledThrough = addDays(today(own), -3)
      const first = `${settledThrough.slice(0, 8)}01`
      const items = [...days(addDays(first, -31), today(own))].map((day): Item => [
        day,
        'i-1',
        day < first ? '8' : '10',
      ])
      await deliver(own, { id: 'e1', at: new Date(own.connections.clock.now()).toISOString(), items })
      const other = await look(own)
      const tile = other.page.locator('.tile', { hasText: 'Month over month' })
      await tile.locator('a.amount').first().waitFor()
      const count = Number(settledThrough.slice(8))
      const before = Math.min(count, Number(addDays(first, -1).slice(8)))
      const delta = 10 * count - 8 * before
      expect(await tile.locator('.big .change').textContent()).to.match(new RegExp(`^▲ \\+\\$${delta}\\.00 `))
      expect(await tile.locator('a.amount').allTextContents()).to.deep.equal([`$${10 * count}.00`, `$${8 * before}.00`])
      expect(other.faults).to.deep.equal([])
      await other.close()
    },
  )

  deepIt('says the next step where there are no bills', async () => {
    const fresh = await tenant()
    const other = await look(fresh)
    await other.page.getByText('No bills for the last 13 months yet.').waitFor()
    expect(
      await other.page.getByRole('link', { name: 'Connect a cloud account or upload a bill' }).getAttribute('href'),
    ).to.equal('sources')
    expect(other.faults).to.deep.equal([])
    await other.close()
  })

  deepIt('leads to the newest month that has bills', async () => {
    const past = await tenant()
    const day = addDays(`${today(past).slice(0, 7)}-01`, -40)
    await deliver(past, {
      id: 'e1',
      at: new Date(past.connections.clock.now()).toISOString(),
      items: [[day, 'i-1', '5']],
    })
    const other = await look(past)
    await other.page.getByRole('link', { name: /^Show / }).waitFor()
    const href = await other.page.getByRole('link', { name: /^Show / }).getAttribute('href')
    expect(href).to.match(new RegExp(`^costs\\?from=${day.slice(0, 7)}-01&to=${day.slice(0, 7)}-(28|29|30|31)$`))
    await other.close()
  })
})
