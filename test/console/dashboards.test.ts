// tier: deep
import { expect } from 'chai'
import { dayOf } from '#engine/value/day.ts'
import { describeConsole, findings, look, settled, type Seen } from '#test/console/browser.ts'
import { sendLoneLines } from '#test/harness/delivery.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

describeConsole('the console: dashboards', () => {
  let org: Tenant
  let seen: Seen
  before(async () => {
    org = await tenant()
    const at = new Date(org.connections.clock.now())
    await sendLoneLines(org, [
      [dayOf(at), 'i-1', 12],
      [dayOf(at), 'i-2', 30, { serviceName: 'database' }],
    ])
    const shared = { view: 'costs', shared: 'organization' }
    const month = 'range=month&through=today'
    for (const [name, query] of [
      ['Services', `${month}&dims=service_name`],
      ['Resources', `${month}&dims=resource_uid`],
      ['Accounts', `${month}&dims=cloud_account_id`],
      ['Clouds', `${month}&dims=provider`],
    ])
      await org.send('POST', '/saved-views', { name, query, ...shared })
    seen = await look(org)
  })
  after(() => seen?.close())

  const button = (label: string) => seen.page.getByRole('button', { name: label, exact: true })
  const titles = () => seen.page.locator('.board-tile h2').allTextContents()
  const stored = async () => {
    const { body } = await org.get('/dashboards')
    return body.data.map(({ views }: any) => views.map(({ name }: any) => name).join(' '))
  }

  it('is made of saved views, and draws each with its total, by one batch', async () => {
    await seen.move('dashboards')
    await button('New dashboard').click()
    await seen.page.getByLabel('Name').fill('Mondays')
    await seen.page.getByLabel('Visible to').selectOption('organization')
    for (const name of ['Clouds', 'Services', 'Resources', 'Accounts']) await seen.page.getByLabel(`${name} (`).check()
    await button('Create dashboard').click()
    await seen.page.locator('.board-tile .board-total').nth(3).waitFor()
    await settled(seen.page)
    expect(await titles()).to.deep.equal(['Clouds', 'Services', 'Resources', 'Accounts'])
    expect(await seen.page.locator('.board-total .big').allTextContents()).to.deep.equal(
      Array.from({ length: 4 }, () => '$42.00'),
    )
    await seen.move('costs')
    const from = seen.asked.length
    await seen.page.goBack()
    await settled(seen.page)
    await seen.page.locator('.board-tile .board-total').nth(3).waitFor()
    const series = seen.asked.slice(from).filter((one) => one.includes('/reports/costs/series'))
    expect(series).to.deep.equal([])
    expect(await findings(seen.page)).to.deep.equal([])
  })

  it('is arranged by keys and by dragging; what is removed comes back', async () => {
    await button('Move Clouds later').focus()
    await seen.page.keyboard.press('Enter')
    expect(await titles()).to.deep.equal(['Services', 'Clouds', 'Resources', 'Accounts'])
    await seen.page.waitForFunction(() => document.activeElement?.ariaLabel === 'Move Clouds later')
    await until('the order', async () => (await stored())[0] === 'Services Clouds Resources Accounts')
    await seen.page.locator('.board-tile .grip').nth(3).dragTo(seen.page.locator('.board-tile').first())
    await until('the order', async () => (await stored())[0] === 'Accounts Services Clouds Resources')
    expect(await titles()).to.deep.equal(['Accounts', 'Services', 'Clouds', 'Resources'])
    await button('Remove Services').click()
    await until('the rest', async () => (await stored())[0] === 'Accounts Clouds Resources')
    await button('Undo').click()
    await until('all', async () => (await stored())[0] === 'Accounts Services Clouds Resources')
    expect(seen.faults).to.deep.equal([])
  })

  it('offers what is not on it, and is mailed like a view', async () => {
    await button('Remove Accounts').click()
    await seen.page.getByLabel('Add a saved view').selectOption({ label: 'Accounts (Explorer)' })
    await button('Add').click()
    await until('it', async () => (await stored())[0] === 'Services Clouds Resources Accounts')
    await button('Email').click()
    await button('Send me a test').click()
    await seen.page.getByText('Sent to').waitFor()
    expect(seen.faults).to.deep.equal([])
  })
})
