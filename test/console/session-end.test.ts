// tier: deep
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeConsole, findings, look, type Seen } from '#test/console/browser.ts'
import { advance, ask, colleague, founder, password, resetClock, type Founder } from '#test/harness/people.ts'
import { testProduct, until } from '#test/harness/product.ts'

/** What the browser says of refusals that are meant. */
const expected = /Failed to load resource.*(400|401|403)/

async function typedIn(page: Page, email: string, given = password): Promise<void> {
  await page.getByLabel('Email').first().fill(email)
  await page.getByLabel('Password', { exact: true }).fill(given)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

describeConsole('a session that ends in mid-form', () => {
  let ana: Founder
  let seen: Seen
  const again = () => seen.page.getByRole('dialog', { name: 'Sign in again' })
  const name = () => seen.page.getByLabel('Name', { exact: true })
  const make = () => seen.page.getByRole('button', { name: 'Create channel' })
  const sent = () =>
    seen.asked.filter((one) => one.startsWith('POST') && one.endsWith('/notifications/channels')).length
  const channels = async (who = ana): Promise<string[]> => {
    const { accessToken: token } = (
      await ask('POST', '/auth/login', { body: { provider: 'email', email: who.email, password } })
    ).body.data
    const { body } = await ask('GET', '/notifications/channels', { token })
    return (body.data as { name: string }[]).map((one) => one.name)
  }
  /** Types most of a form, and has the session end under it: nothing shows that yet. */
  const typeAndEnd = async (what: string) => {
    await seen.open('notifications?new=1')
    await name().fill(what)
    await seen.page.getByLabel('Webhook URL').fill('https://chat.example.com/hooks/1')
    await endIt()
  }
  const endIt = async () => {
    const { connections } = await testProduct()
    await connections.store.pool.query('update session set revoked_at = now() where org_id = $1', [ana.orgId])
    await advance(16 * 60, ana.orgId)
  }

  beforeEach(async () => {
    ana = await founder('Of long forms')
    seen = await look({ ...(await testProduct()), orgId: ana.orgId }, { at: '', expected })
    await typedIn(seen.page, ana.email)
    await seen.page.waitForSelector('.frame')
  })
  afterEach(async () => {
    await seen.close()
    await resetClock()
  })

  it('loses nothing: it is signed in again over the page, and what was typed is sent then, once', async () => {
    await typeAndEnd('Ops')
    await make().click()
    await again().waitFor()
    expect(await again().getByLabel('Email').inputValue()).to.equal(ana.email)
    expect(await findings(seen.page)).to.deep.equal([])
    expect(
      await again()
        .getByLabel('Password')
        .evaluate((one) => one === document.activeElement),
    ).to.equal(true)
    await seen.page.keyboard.press('Escape')
    await typedIn(seen.page, ana.email, 'not this one')
    await again().getByRole('alert').waitFor()
    await typedIn(seen.page, ana.email)
    await again().waitFor({ state: 'detached' })
    expect(await name().inputValue()).to.equal('Ops')
    expect(await seen.page.title()).to.equal('Notifications · Tidemark')
    expect(await channels()).to.deep.equal([])
    await make().click()
    await seen.page.getByRole('cell', { name: 'Ops' }).first().waitFor()
    expect(await channels()).to.deep.equal(['Ops'])
    await seen.page.waitForSelector('.live.live')
    expect(seen.faults).to.deep.equal([])
  })

  it('leaves a window that was open where it was, and its button works then', async () => {
    const token = ana.accessToken
    await ask('POST', '/teams', { token, body: { name: 'Core' } })
    await ask('POST', '/budgets', { token, body: { teamName: 'Core', monthlyBudgetUSD: 100 } })
    await seen.open('budgets')
    await seen.page.getByRole('button', { name: 'Delete budget for Core' }).click()
    await endIt()
    const sure = seen.page.getByRole('dialog', { name: /^Delete/ })
    await sure.getByRole('button', { name: /^Delete/ }).click()
    await typedIn(seen.page, ana.email)
    await again().waitFor({ state: 'detached' })
    await sure.getByText('Nothing was changed. Sign in, then try again.').waitFor()
    await sure.getByRole('button', { name: /^Delete/ }).click()
    await seen.page.getByText('No budgets yet.').waitFor()
    expect(seen.faults).to.deep.equal([])
  })

  it('goes on by itself once the same person has signed in in another tab', async () => {
    await typeAndEnd('Ops')
    await make().click()
    const [other] = await Promise.all([
      seen.context.waitForEvent('page'),
      again().getByRole('link', { name: 'sign in in another tab' }).click(),
    ])
    await typedIn(other, ana.email)
    await other.waitForSelector('.frame')
    await again().waitFor({ state: 'detached' })
    expect(await name().inputValue()).to.equal('Ops')
    await make().click()
    await seen.page.getByRole('cell', { name: 'Ops' }).first().waitFor()
    expect(await channels()).to.deep.equal(['Ops'])
    expect(seen.faults).to.deep.equal([])
  })

  it('sends nothing of it for another person who signs in, and shows them nothing of it', async () => {
    const bob = await colleague(ana, 'owner')
    await typeAndEnd('Of Ana alone')
    const other = await seen.context.newPage()
    await other.goto(`${(await testProduct()).url}/console/`)
    await typedIn(other, bob.email)
    await other.waitForSelector('.frame')
    // The page knows nothing of it yet, and sends as Ana.
    await make().click()
    await until('Bob is there', async () =>
      ((await seen.page.locator('.who .pop').textContent()) ?? '').includes(bob.email),
    )
    await seen.page.getByRole('heading', { name: 'Notifications' }).waitFor()
    expect(await seen.page.locator('body').innerHTML()).not.to.include('Of Ana alone')
    expect(sent()).to.equal(1)
    expect(await channels(bob)).to.deep.equal([])
    expect(seen.faults).to.deep.equal([])
  })

  it('keeps nothing where somebody signs out: in no page of the browser', async () => {
    await seen.open('notifications?new=1')
    await name().fill('Nobody else’s')
    const other = await seen.context.newPage()
    await other.goto(`${(await testProduct()).url}/console/`)
    await other.waitForSelector('.frame')
    await other.locator('.who summary').click()
    await other.getByRole('button', { name: 'Sign out' }).click()
    await seen.page.waitForSelector('main.sign-in')
    expect(await seen.page.locator('.frame').count()).to.equal(0)
    expect(seen.faults).to.deep.equal([])
  })
})
