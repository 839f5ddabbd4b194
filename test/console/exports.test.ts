// tier: deep
import { expect } from 'chai'
import { describeConsole, findings, look, settled, type Seen } from '#test/console/browser.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

describeConsole('the console: scheduled exports and exchange rates', () => {
  let org: Tenant
  let seen: Seen
  before(async () => {
    org = await tenant()
    seen = await look(org)
  })
  after(() => seen?.close())

  const button = (label: string) => seen.page.getByRole('button', { name: label, exact: true })
  /** The refusal of a region is one that was asked for. */
  const faults = () => seen.faults.filter((one) => !one.includes('400 (Bad Request)'))
  const schedules = async () => (await org.get('/export-schedules')).body.data.items

  it('create an export with credentials of its own, run it, and show its runs', async () => {
    await seen.move('exports')
    await button('New export').click()
    await seen.page.getByLabel('Name').fill('Warehouse')
    await seen.page.getByLabel('Bucket').fill('shop-finops')
    await seen.page.getByLabel('Region').fill('nowhere')
    await seen.page.getByLabel('Credentials', { exact: true }).selectOption('own')
    const key = { accessKeyID: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' }
    await seen.page.getByLabel('Credentials as JSON').fill(JSON.stringify(key))
    await button('Create export').click()
    await seen.page.getByText('such as eu-central-1').waitFor()
    await seen.page.getByLabel('Region').fill('eu-central-1')
    await button('Create export').click()
    await seen.page.getByRole('link', { name: 'Warehouse' }).waitFor()
    expect(await schedules()).to.have.length(1)
    await button('Run now Warehouse').click()
    await button('Run now').click()
    await until('the run', async () => (await schedules())[0].lastRun?.endedAt)
    await seen.page.getByRole('link', { name: 'Warehouse' }).click()
    await seen.page.getByRole('heading', { name: 'Runs of Warehouse' }).waitFor()
    // In the list and among its runs, without loading the page again.
    await seen.page.getByText('Succeeded', { exact: true }).nth(1).waitFor()
    await settled(seen.page)
    expect(await findings(seen.page)).to.deep.equal([])
  })

  it('change the hour of one, and keep its credentials', async () => {
    await button('Edit Warehouse').click()
    await seen.page.getByLabel('At', { exact: true }).selectOption('7')
    await button('Save').click()
    await button('New export').waitFor()
    await until('the hour', async () => (await schedules())[0].hour === 7)
    expect((await schedules())[0]).to.include({ cloudAccountID: null, timezone: (await schedules())[0].timezone })
    expect(faults()).to.deep.equal([])
  })

  it('set a rate, show the costs by it, and delete it', async () => {
    await seen.move('currencies')
    await button('New rate').click()
    await seen.page.getByLabel('From day').fill('2020-01-01')
    await seen.page.getByLabel('US dollars for one unit').fill('1.0843')
    await button('Create rate').click()
    await seen.page.getByRole('heading', { name: 'Costs in another currency' }).waitFor()
    await seen.page.getByText('1.0843 US dollars for one EUR').waitFor()
    await settled(seen.page)
    expect(await findings(seen.page)).to.deep.equal([])
    await button('Delete EUR from Jan 1, 2020').click()
    await button('Delete rate').click()
    await seen.page.getByText('No exchange rates yet.').waitFor()
    expect(faults()).to.deep.equal([])
  })
})
