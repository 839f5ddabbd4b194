import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { dayOf } from '#engine/value/day.ts'
import { makeLinkToken } from '#http/identity/session/sign-in-link.ts'
import { asService } from '#http/store/tenant.ts'
import { describeConsole, linkFor, look, settled, type Seen } from '#test/console/browser.ts'
import { deliver } from '#test/harness/delivery.ts'
import { shownBy, withDevice } from '#test/harness/device.ts'
import { advance, claimsOf, founder, password, person, resetClock, type Founder } from '#test/harness/people.ts'
import { tenant, testProduct, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

/** What the browser says of refusals that are meant. */
const expected = /Failed to load resource.*(401|403|400|422|429)/

/** Signs in by the form. */
async function typedIn(page: Page, email: string, given = password): Promise<void> {
  await page.getByLabel('Email').first().fill(email)
  await page.getByLabel('Password', { exact: true }).fill(given)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const inside = (page: Page) => page.waitForSelector('.frame')
const outside = (page: Page) => page.waitForSelector('.sign-in')
const alertOf = async (page: Page): Promise<string> => (await page.getByRole('alert').textContent())!.trim()
const placeOf = (page: Page): string => page.url().replace(/^.*\/console/, '')
const views = (page: Page, name: string) => page.locator('.menu').getByRole('link', { name, exact: true })

async function ended(seen: Seen): Promise<void> {
  await seen.close()
  expect(seen.faults).to.deep.equal([])
}

/** An organization of its own, with what its people are shown at. */
const of = async (who: Founder): Promise<Pick<Tenant, 'url' | 'connections' | 'orgId'>> => ({
  ...(await testProduct()),
  orgId: who.orgId,
})

describeConsole('signing in by a password', () => {
  let ana: Founder
  before(async () => void (ana = await founder('Of the console')))
  afterEach(resetClock)

  it('reports what is wrong, keeps what was typed, then opens the view that the person wanted', async () => {
    const seen = await look(await of(ana), { at: 'costs?range=7d', expected })
    const { page, context } = seen
    await typedIn(page, ana.email, 'not this one')
    await page.getByRole('alert').waitFor()
    expect(await alertOf(page)).to.equal('The email address or the password is wrong.')
    expect(await page.getByLabel('Email').first().inputValue()).to.equal(ana.email)
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).to.equal('not this one')
    expect(placeOf(page)).to.equal('/costs?range=7d')
    const answer = page.waitForResponse((response) => response.url().endsWith('/auth/browser/login') && response.ok())
    await typedIn(page, ana.email)
    const { accessToken } = (await (await answer).json()).data
    await inside(page)
    expect(placeOf(page)).to.equal('/costs?range=7d')
    expect(await page.title()).to.equal('Explorer · Tidemark')
    // The session survives a reload, though no script can read its tokens.
    await page.reload()
    await inside(page)
    await settled(page)
    const cookies = await context.cookies(`${(await testProduct()).url}/auth/browser/refresh`)
    expect(cookies.map(({ httpOnly, sameSite, path }) => ({ httpOnly, sameSite, path }))).to.deep.equal([
      { httpOnly: true, sameSite: 'Strict', path: '/auth/browser' },
    ])
    const readable = await page.evaluate(() =>
      JSON.stringify([document.cookie, Object.entries(localStorage), Object.entries(sessionStorage), history.state]),
    )
    expect(readable).to.include(ana.email)
    expect(readable).not.to.include(cookies[0]!.value)
    expect(readable).not.to.include(accessToken)
    expect(readable).not.to.match(/eyJ/)
    await ended(seen)
  })

  deepIt(
    'asks for the second factor: a wrong code may be tried again, a right one signs in, a recovery code too',
    async () => {
      const eva = await founder('Of two factors')
      const device = await withDevice(eva)
      const seen = await look(await of(eva), { at: 'budgets', expected })
      const { page } = seen
      await typedIn(page, eva.email, 'not this one')
      await page.getByRole('alert').waitFor()
      await typedIn(page, eva.email)
      const field = page.getByLabel('Six-digit code from your device')
      await field.waitFor()
      expect(await page.getByRole('alert').count(), 'the refusal of before is gone').to.equal(0)
      const right = await shownBy(device)
      await field.fill(right === '000000' ? '000001' : '000000')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('alert').waitFor()
      expect(await alertOf(page)).to.equal('The code is wrong or has expired.')
      await field.fill(right)
      await page.getByRole('button', { name: 'Continue' }).click()
      await inside(page)
      expect(placeOf(page)).to.equal('/budgets')
      await seen.context.clearCookies()
      await page.reload()
      await typedIn(page, eva.email)
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
      await page.getByLabel('Recovery code').fill(device.recoveryCodes[0]!)
      await page.getByRole('button', { name: 'Continue' }).click()
      await inside(page)
      await ended(seen)
    },
  )

  deepIt('begins anew where the second factor took too long', async () => {
    const eva = await founder('Of patience')
    const device = await withDevice(eva)
    const seen = await look(await of(eva), { at: '', expected })
    await typedIn(seen.page, eva.email)
    await seen.page.getByLabel('Six-digit code from your device').waitFor()
    await advance(6 * 60)
    await seen.page.getByLabel('Six-digit code from your device').fill(await shownBy(device))
    await seen.page.getByRole('button', { name: 'Continue' }).click()
    await seen.page.getByLabel('Password', { exact: true }).waitFor()
    expect(await alertOf(seen.page)).to.match(/sign in again|challenge/i)
    await ended(seen)
  })
})

describeConsole('signing in by a link', () => {
  let org: Tenant
  before(async () => void (org = await tenant()))
  afterEach(resetClock)

  deepIt('is once: the token leaves the address and the history before anything is asked', async () => {
    const token = await linkFor(org, 'owner')
    const seen = await look(org, { at: `costs?range=7d&code=kept#token=${token}`, expected })
    const { page } = seen
    await inside(page)
    expect(placeOf(page)).to.equal('/costs?range=7d&code=kept')
    await views(page, 'Budgets').click()
    await page.goBack()
    expect(placeOf(page)).to.equal('/costs?range=7d&code=kept')
    expect(await page.evaluate(() => history.length)).to.be.lessThan(4)
    const again = await look(org, { at: `#token=${token}`, expected })
    await outside(again.page)
    expect(await alertOf(again.page)).to.equal(
      'The link is wrong, expired or already used. An operator can create a new one with the command: tidemark console.',
    )
    expect(again.page.url()).to.equal(`${org.url}/console/`)
    await ended(again)
    await ended(seen)
  })

  deepIt('that was used leaves who is signed in where they are, also in a page that is open', async () => {
    const token = await linkFor(org, 'owner')
    const seen = await look(org, { at: `#token=${token}`, expected })
    const { page } = seen
    await page.goto(`${org.url}/console/costs#token=${token}`)
    await settled(page)
    await inside(page)
    expect(placeOf(page)).to.equal('/costs')
    const refusal = page.waitForResponse((response) => response.url().endsWith('/auth/browser/link'))
    await page.evaluate((used) => void (location.hash = `token=${used}`), token)
    expect((await refusal).status()).to.equal(401)
    await page.waitForFunction(() => location.hash === '')
    await views(page, 'Budgets').click()
    await inside(page)
    expect(placeOf(page)).to.equal('/budgets')
    // Nothing of it is told to who signs out later.
    await page.locator('.who summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await outside(page)
    expect(await page.getByRole('alert').count()).to.equal(0)
    await ended(seen)
  })

  deepIt('asks who has a second factor for it, and the link is used up', async () => {
    const eva = await founder('Of links')
    const device = await withDevice(eva)
    const { connections } = org
    const expiresAt = new Date(connections.clock.now() + 60_000)
    const link = { userId: eva.userId, orgId: eva.orgId, expiresAt }
    const token = await asService(() => connections.orm.em.fork().transactional((em) => makeLinkToken(em, link)))
    const seen = await look(await of(eva), { at: `budgets#token=${token}`, expected })
    await seen.page.getByLabel('Six-digit code from your device').fill(await shownBy(device))
    await seen.page.getByRole('button', { name: 'Continue' }).click()
    await inside(seen.page)
    expect(placeOf(seen.page)).to.equal('/budgets')
    await ended(seen)
  })
})

describeConsole('a session of the console', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
    await deliver(org, { id: 'e1', at: today(org).toISOString(), items: [[dayOf(today(org)), 'i-1', 12]] })
  })
  afterEach(resetClock)

  const today = ({ connections }: Pick<Tenant, 'connections'>) => new Date(connections.clock.now())

  deepIt('goes on without a word when the access token has expired', async () => {
    const seen = await look(org, { expected })
    const { page } = seen
    await page.evaluate(() => Object.assign(globalThis, { isSame: true }))
    await advance(16 * 60, org.orgId)
    const renewed = page.waitForResponse((response) => response.url().endsWith('/auth/browser/refresh'))
    await views(page, 'Budgets').click()
    expect((await renewed).status()).to.equal(200)
    await settled(page)
    expect(await page.locator('main h1').first().textContent()).to.equal('Budgets')
    expect(await page.locator('.failed, .sign-in').count()).to.equal(0)
    expect(await page.evaluate(() => 'isSame' in globalThis)).to.equal(true)
    await ended(seen)
  })

  deepIt('is shared by two pages: both renew it at once and both go on', async () => {
    const seen = await look(org, { expected })
    const other = await seen.context.newPage()
    await other.goto(`${org.url}/console/`)
    await inside(other)
    for (let round = 0; round < 3; round++) {
      await advance(16 * 60, org.orgId)
      const name = round % 2 === 0 ? 'Budgets' : 'Teams'
      await Promise.all([seen.page, other].map((page) => views(page, name).click()))
      await Promise.all([seen.page, other].map(settled))
      expect(
        await Promise.all([seen.page, other].map((page) => page.locator('.sign-in, .failed').count())),
      ).to.deep.equal([0, 0])
    }
    await Promise.all([seen.page, other].map((page) => page.reload()))
    await Promise.all([seen.page, other].map(inside))
    await ended(seen)
  })

  deepIt('that is ended in one page, or elsewhere, leads the other to the sign-in at its next question', async () => {
    const seen = await look(org, { expected })
    const other = await seen.context.newPage()
    await other.goto(`${org.url}/console/costs?range=7d`)
    await inside(other)
    await seen.page.locator('.who summary').click()
    await seen.page.getByRole('button', { name: 'Sign out' }).click()
    await outside(seen.page)
    await outside(other).catch(async () => views(other, 'Explorer').click())
    await outside(other)
    expect(placeOf(other)).to.equal('/costs?range=7d')
    await seen.page.reload()
    await outside(seen.page)
    await ended(seen)
    const third = await look(org, { expected })
    await org.connections.store.pool.query('update session set revoked_at = now() where org_id = $1', [org.orgId])
    await third.page.reload()
    await outside(third.page)
    await ended(third)
  })

  deepIt('says so where the sign-out did not reach the service', async () => {
    const seen = await look(org, { expected: /ERR_FAILED/ })
    await seen.page.route('**/auth/browser/logout', (route) => route.abort())
    await seen.page.locator('.who summary').click()
    await seen.page.getByRole('button', { name: 'Sign out' }).click()
    await outside(seen.page)
    expect(await alertOf(seen.page)).to.match(/^Cannot reach Tidemark\. You are signed out of this page/)
    await ended(seen)
  })

  deepIt(
    'is in one of two organizations: a switch shows the other’s figures, and nothing of the first stays',
    async () => {
      const two = await tenant()
      await deliver(two, { id: 'e2', at: today(two).toISOString(), items: [[dayOf(today(two)), 'i-9', 47]] })
      const dora = await person()
      const { sub: userId } = claimsOf(dora.accessToken)
      for (const [{ orgId }, at] of [
        [org, '2026-01-01'],
        [two, '2026-01-02'],
      ] as const)
        await org.connections.store.pool.query(
          `insert into member (org_id, user_id, role_id, status, created_at) values ($1, $2, 'owner', 'active', $3)`,
          [orgId, userId, at],
        )
      const seen = await look(org, { at: '', expected })
      const { page } = seen
      await typedIn(page, dora.email)
      const figure = (text: string, on = page) => on.locator('.tile .big', { hasText: text }).first().waitFor()
      await figure('$12.00')
      const other = await seen.context.newPage()
      await other.goto(`${org.url}/console/`)
      await figure('$12.00', other)
      await page.goto(`${org.url}/console/?range=7d&filter[accountID]=x`)
      await settled(page)
      // What would be shown until the answer is there is what was kept.
      await page.route('**/batch', async (route) => {
        shown.push(await page.locator('main#view').textContent())
        await route.continue()
      })
      const shown: (string | null)[] = []
      await page.getByLabel('Organization').selectOption(two.orgId)
      await figure('$47.00')
      expect(shown.length).to.be.greaterThan(0)
      expect(shown.filter((text) => text?.includes('12.00'))).to.deep.equal([])
      expect(await page.locator('body').textContent()).not.to.include('$12.00')
      expect(placeOf(page)).to.equal('/?range=7d')
      // Each page stays where its person was, also when it renews its token and is loaded again.
      await advance(16 * 60, org.orgId)
      await views(other, 'Budgets').click()
      await settled(other)
      await views(other, 'Overview').click()
      await figure('$12.00', other)
      await page.reload()
      await figure('$47.00')
      await other.reload()
      await figure('$12.00', other)
      await ended(seen)
    },
  )
})
