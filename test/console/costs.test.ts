import { expect } from 'chai'
import { addDays, dayOf } from '#engine/value/day.ts'
import { describeConsole, look, settled, type Seen } from '#test/console/browser.ts'
import { sendLoneLines, type Item } from '#test/harness/delivery.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const long = 'y'.repeat(400)

describeConsole('the console: what drives costs', () => {
  let org: Tenant
  let seen: Seen
  let days: { from: string; to: string }

  before(async () => {
    org = await tenant()
    const to = dayOf(new Date(org.connections.clock.now()))
    const [from, before] = [addDays(to, -1), addDays(to, -2)]
    days = { from, to }
    const items: Item[] = [
      [before, 'i-1', '10', { serviceName: 'compute' }],
      [from, 'i-1', '40.123456789', { serviceName: 'compute' }],
      [from, 'i-2', '20', { serviceName: 'compute', region: 'eu-west-1' }],
      [to, 'd-1', '30', { serviceName: 'database', resourceType: 'aws-rds' }],
      [to, 'w-1', '5', { serviceName: long, region: 'eu-west-1' }],
    ]
    await sendLoneLines(org, items)
    seen = await look(org)
  })
  after(() => seen?.close())

  const at = (more: string) => seen.move(`costs?from=${days.from}&to=${days.to}${more}`)
  const total = () => seen.page.locator('.costs-total .big').textContent()
  const table = (caption: string) => seen.page.getByRole('region', { name: caption, exact: true })
  const rows = (caption: string) => table(caption).locator('tbody tr')
  const cells = async (caption: string, count: number) =>
    (await rows(caption).all())
      .map((row) => row.locator('td').allTextContents())
      .reduce(
        async (all, some) => [...(await all), (await some).slice(0, count).map((text) => text.trim())],
        Promise.resolve<string[][]>([]),
      )
  const asked = () => new URL(seen.page.url()).searchParams
  const mark = () => seen.page.evaluate(() => Object.assign(globalThis, { isSame: true }))
  const isSame = () => seen.page.evaluate(() => (globalThis as { isSame?: boolean }).isSame === true)

  it('shows the groups of the API with their shares, the dearest first, and the total', async () => {
    await at('')
    // 40.123456789 + 20, 30 and 5.
    expect(await cells('Cost by service', 3)).to.deep.equal([
      ['compute', '$60.12', '63.2%'],
      ['database', '$30.00', '31.5%'],
      [long, '$5.00', '5.3%'],
    ])
    expect(await total()).to.equal('$95.12')
    expect(seen.faults).to.deep.equal([])
  })

  it('leads from a row to the lines that sum to it, to the last digit', async () => {
    await at('')
    await rows('Cost by service').first().locator('a.amount').click()
    await seen.page.waitForSelector('.receipt output')
    expect(await seen.page.locator('.receipt output').textContent()).to.equal('60.123456789 USD')
    await seen.page.keyboard.press('Escape')
  })

  it('leads behind a group, and back: all of it stands in the address', async () => {
    await at('')
    await mark()
    await rows('Cost by service').first().locator('.group a').click()
    await table('Cost by resource type').waitFor()
    await settled(seen.page)
    expect(asked().getAll('filter[service_name]')).to.deep.equal(['compute'])
    expect(asked().getAll('dims')).to.deep.equal(['resource_type'])
    expect(await total()).to.equal('$60.12')
    await rows('Cost by resource type').first().locator('.group a').click()
    await table('Cost by resource').waitFor()
    await settled(seen.page)
    expect(await cells('Cost by resource', 2)).to.deep.equal([
      ['i-1', '$40.12'],
      ['i-2', '$20.00'],
    ])
    await seen.page.goBack()
    await seen.page.goBack()
    await table('Cost by service').waitFor()
    expect(await isSame()).to.equal(true)
    expect(seen.faults).to.deep.equal([])
  })

  deepIt('narrows by keyboard alone, with values and their dollars suggested, and takes a filter away', async () => {
    await at('')
    await seen.page.keyboard.press('/')
    await seen.page.keyboard.type('data')
    await seen.page.getByRole('option', { name: 'database $30.00' }).waitFor()
    await seen.page.keyboard.press('ArrowDown')
    await seen.page.keyboard.press('Enter')
    await seen.page.getByRole('button', { name: 'Remove Service database' }).waitFor()
    await settled(seen.page)
    expect(asked().getAll('filter[service_name]')).to.deep.equal(['database'])
    expect(await total()).to.equal('$30.00')
    await seen.page.getByRole('button', { name: 'Remove Service database' }).click()
    await settled(seen.page)
    expect(asked().has('filter[service_name]')).to.equal(false)
    expect(await total()).to.equal('$95.12')
  })

  it('opens the day and the group that are clicked in the chart', async () => {
    await at('')
    const plot = seen.page.locator('.plot')
    await plot.locator('canvas').waitFor()
    const { x, y, width, height } = (await plot.boundingBox())!
    // The first of two days; its axis takes some 50 px at the left, and 30 px at the bottom.
    await seen.page.mouse.move(x + 50 + (width - 62) / 4, y + height - 45)
    const tooltip = seen.page.locator('.tooltip')
    await tooltip.waitFor()
    expect(await tooltip.locator('tr').allTextContents()).to.deep.equal(['Total$60.12', 'compute$60.12'])
    await seen.page.mouse.down()
    await seen.page.mouse.up()
    await seen.page.getByRole('button', { name: 'Remove Service compute' }).waitFor()
    await settled(seen.page)
    expect(['from', 'to', 'dims', 'filter[service_name]'].map((name) => asked().get(name))).to.deep.equal([
      days.from,
      days.from,
      'resource_type',
      'compute',
    ])
    expect(await total()).to.equal('$60.12')
    expect(seen.faults).to.deep.equal([])
  })

  it('narrows by what a value is not, or by an alternative, and saves the table as it is shown', async () => {
    const add = async (dim: string, op: string, value: string) => {
      await seen.page.locator('.adder select').first().selectOption(dim)
      await seen.page.getByLabel('Comparison').selectOption(op)
      await seen.page.locator('#add-filter').fill(value)
      await seen.page.keyboard.press('Enter')
      await settled(seen.page)
    }
    await at('')
    await add('service_name', 'is_not', 'compute')
    await seen.page.getByRole('button', { name: 'Remove Service is not compute' }).waitFor()
    await settled(seen.page)
    expect(await total()).to.equal('$35.00')
    await seen.page.getByRole('button', { name: 'or… an alternative to Service is not compute' }).click()
    await add('region', 'contains', 'EU-')
    await seen.page.getByRole('button', { name: 'Remove Region contains EU-' }).waitFor()
    await settled(seen.page)
    // 30 and 5, and the 20 of compute in eu-west-1.
    expect(await total()).to.equal('$55.00')
    const download = seen.page.waitForEvent('download')
    await seen.page.getByRole('button', { name: 'CSV', exact: true }).click()
    const file = await (await download).createReadStream()
    expect((await file.toArray()).join('').split('\r\n')).to.deep.equal([
      'Service,Cost USD,Share %',
      'database,30,54.55',
      'compute,20,36.36',
      `${long},5,9.09`,
      'Total,55,100',
      '',
    ])
    expect(seen.faults).to.deep.equal([])
  })

  it('says which filter leaves nothing, and what would be there without it', async () => {
    await at('&filter[service_name]=database&filter[region]=eu-west-1')
    for (const amount of ['$25.00', '$30.00']) await seen.page.locator('.empty li', { hasText: amount }).waitFor()
    const offers = await seen.page.locator('.empty li').allTextContents()
    expect(offers.map((text) => text.trim())).to.deep.equal([
      'Without Service: database $25.00',
      'Without Region: eu-west-1 $30.00',
    ])
    await seen.page.locator('.empty li a').first().click()
    await settled(seen.page)
    expect(await total()).to.equal('$25.00')
  })

  it('is saved as it is shown under a name, and led to from the menu', async () => {
    const name = 'Weekly <script>alert(1)</script> خدمات'
    const button = (label: string) => seen.page.getByRole('button', { name: label, exact: true })
    await at('&dims=service_name')
    const { search } = new URL(seen.page.url())
    await button('Save view').click()
    await seen.page.getByRole('dialog').getByLabel('Name').fill(name)
    await seen.page.getByLabel('Visible to').selectOption('organization')
    await button('Save').click()
    await button('Done').click()
    await seen.move('')
    await seen.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click()
    await settled(seen.page)
    expect(new URL(seen.page.url()).search).to.equal(search)
    expect(await total()).to.equal('$95.12')
    const { body } = await org.get('/saved-views')
    expect(body.data.map((view: { name: string }) => view.name)).to.deep.equal([name])
    expect(seen.faults).to.deep.equal([])
  })

  deepIt('leads to the newest month with bills from days without', async () => {
    await seen.open('costs?from=2020-01-01&to=2020-01-31')
    const link = seen.page.locator('.empty a')
    await link.waitFor()
    await link.click()
    await table('Cost by service').waitFor()
    expect([asked().get('from'), asked().get('to')?.slice(0, 7)]).to.deep.equal([
      `${days.to.slice(0, 7)}-01`,
      days.to.slice(0, 7),
    ])
  })

  deepIt('draws the flow only when it is asked for; a node leads behind itself without loading the page', async () => {
    seen.asked.length = 0
    await at('&dims=region&dims=service_name')
    expect(seen.asked.filter((one) => one.includes('/file/flow-'))).to.deep.equal([])
    await mark()
    await seen.page.getByRole('button', { name: 'Flow' }).click()
    const node = seen.page.getByRole('link', { name: 'eu-west-1: $25.00, 26.3%' })
    await node.focus()
    await seen.page.keyboard.press('Enter')
    await seen.page.getByRole('button', { name: 'Remove Region eu-west-1' }).waitFor()
    expect(seen.asked.filter((one) => one.includes('/file/flow-')).length).to.equal(1)
    expect(await isSame()).to.equal(true)
    await settled(seen.page)
    expect(await total()).to.equal('$25.00')
    expect(seen.faults).to.deep.equal([])
  })

  deepIt('compares, and says what of the difference is known by use and price', async () => {
    await at('&compare=previous')
    const { body } = await org.get(`/reports/drivers?from=${days.from}&to=${days.to}&compare=previous`)
    expect(body.data.total.deltaUSD).to.equal(85.123456789)
    expect(await seen.page.locator('.costs-total .change').textContent()).to.match(/\+\$85\.12/)
    const driven = await cells('Rises and falls by service', 2)
    expect(driven.map(([name, change]) => `${name} ${change}`)).to.deep.equal([
      'compute ▲ +$50.12 (+501.2%)',
      'database ▲ +$30.00',
      `${long} ▲ +$5.00`,
    ])
  })

  deepIt('says that the figures are those of an earlier day', async () => {
    await at(`&asOf=${addDays(days.to, -5)}T23:59:59Z`)
    await seen.page.getByText('Historical figures').waitFor()
  })

  deepIt('has no sideways scroll at 360 px, whatever names hold', async () => {
    const narrow = await look(org, { width: 360, theme: 'dark' })
    for (const more of [
      '',
      '&show=flow&dims=service_name&dims=region',
      '&dims=resource_uid&compare=previous',
      `&filter[service_name]=${long}`,
    ]) {
      await narrow.open(`costs?from=${days.from}&to=${days.to}${more}`)
      const { scrollWidth, clientWidth } = await narrow.page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement
        return { scrollWidth, clientWidth }
      })
      expect(scrollWidth, more.slice(0, 40)).to.equal(clientWidth)
    }
    expect(narrow.faults).to.deep.equal([])
    await narrow.close()
  })
})
