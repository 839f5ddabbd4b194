import { expect } from 'chai'
import { dayOf } from '#engine/value/day.ts'
import { describeConsole, findings, look, settled, type Seen } from '#test/console/browser.ts'
import { deliver } from '#test/harness/delivery.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

describeConsole('the frame of the console', () => {
  let org: Tenant
  let seen: Seen
  before(async () => {
    org = await tenant()
    const at = new Date(org.connections.clock.now())
    await deliver(org, { id: 'e1', at: at.toISOString(), items: [[dayOf(at), 'i-1', '12']] })
    await org.send('POST', '/teams', { name: 'Payments' })
    seen = await look(org)
  })
  after(() => seen?.close())

  const menu = () => seen.page.getByRole('navigation', { name: 'Views' })
  const field = () => seen.page.getByRole('combobox', { name: 'Search and commands' })
  const chosen = () => seen.page.locator('[role=option][aria-selected=true]').textContent()
  const focused = () => seen.page.evaluate(() => document.activeElement?.textContent)

  it('shows the overview with 8 requests: the page, its style, three scripts, the session, the stream and a batch', async () => {
    const from = seen.asked.length
    await seen.open('')
    await seen.page.waitForSelector('.live.live')
    const asked = seen.asked.slice(from).map((one) => one.replace(`${org.url}/`, '').replace(/-[A-Z0-9]{8}\./, '.'))
    expect(asked.toSorted()).to.deep.equal(
      [
        'GET console/',
        'GET console/file/style.css',
        'GET console/file/chunk.js',
        'GET console/file/figure.js',
        'GET console/file/overview.js',
        'POST auth/browser/refresh',
        'GET events/stream',
        'POST batch',
      ].toSorted(),
    )
    expect(seen.faults).to.deep.equal([])
  })

  it('folds groups of the menu, and keeps them folded', async () => {
    const group = menu().getByRole('button', { name: 'Automation' })
    await group.click()
    expect(await menu().getByRole('link', { name: 'Schedules' }).count()).to.equal(0)
    await seen.open('')
    expect(await group.getAttribute('aria-expanded')).to.equal('false')
    await group.click()
    expect(await menu().getByRole('link', { name: 'Schedules' }).count()).to.equal(1)
  })

  it('finds what has a name by keys alone, opens it, and has it first among what was seen the next time', async () => {
    await seen.page.keyboard.press('Control+k')
    await field().fill('paym')
    await seen.page.locator('[role=option]', { hasText: 'Payments' }).waitFor()
    expect(await chosen()).to.equal('Payments')
    expect(await findings(seen.page)).to.deep.equal([])
    await seen.page.keyboard.press('Enter')
    await settled(seen.page)
    expect(new URL(seen.page.url()).pathname).to.match(/\/console\/teams$/)
    await seen.move('budgets')
    await seen.page.keyboard.press('Control+k')
    await field().waitFor()
    expect(await chosen()).to.match(/^(Teams|Payments)/)
    await seen.page.keyboard.press('Escape')
    await field().waitFor({ state: 'detached' })
    expect(seen.faults).to.deep.equal([])
  })

  it('moves the keyboard to the heading of a view that a key opens, unless such keys are switched off', async () => {
    await seen.page.keyboard.press('g')
    await seen.page.keyboard.press('y')
    await settled(seen.page)
    await seen.page.waitForFunction(() => document.activeElement?.tagName === 'H1')
    expect(await focused()).to.equal('Tags')
    await seen.page.keyboard.press('?')
    await seen.page.getByLabel('Use keys without Ctrl or Cmd').uncheck()
    await seen.page.keyboard.press('Escape')
    await seen.page.keyboard.press('?')
    await seen.page.keyboard.press('Control+k')
    await field().waitFor()
    expect(await seen.page.getByRole('dialog').count()).to.equal(1)
    await seen.page.keyboard.press('Escape')
    expect(seen.faults).to.deep.equal([])
  })

  it('names where the page is, and what is open in it', async () => {
    await seen.move('savings?tab=commitments')
    const crumbs = seen.page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem')
    expect(await crumbs.allTextContents()).to.deep.equal(['Savings', 'Commitments'])
    expect(await findings(seen.page)).to.deep.equal([])
  })
})
