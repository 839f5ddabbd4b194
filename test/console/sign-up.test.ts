import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeConsole, findings, look, looks, type Seen } from '#test/console/browser.ts'
import { shownBy } from '#test/harness/device.ts'
import { address, ask, codeFor, founder, password, person, resetClock } from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const expected = /Failed to load resource.*(400|401|403|422)/

const inside = (page: Page) => page.waitForSelector('.frame')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const statusOf = (page: Page) => page.locator('.note.good').textContent()
const alertOf = async (page: Page): Promise<string> => {
  await page.getByRole('alert').waitFor()
  return (await page.getByRole('alert').textContent())!.trim()
}

const sideways = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

async function opening(at = '', { width = 1440, theme = 'light' as 'light' | 'dark' } = {}): Promise<Seen> {
  return look({ ...(await testProduct()), orgId: '' }, { at, width, theme, expected })
}

async function ended(seen: Seen): Promise<void> {
  await seen.close()
  expect(seen.faults).to.deep.equal([])
}

async function signUp(page: Page, email: string, given = password): Promise<void> {
  await button(page, 'Create an account').click()
  await page.getByLabel('Your name').fill('Ina')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(given)
  await button(page, 'Create account').click()
}

describeConsole('an account made in the console', () => {
  afterEach(resetClock)

  it('is confirmed by the code of the mail, signed in at once, and makes an organization', async () => {
    const email = address()
    const seen = await opening('budgets')
    const { page } = seen
    await signUp(page, email, 'password')
    expect(await alertOf(page)).to.match(/password/)
    expect(await page.getByLabel('Your name').inputValue(), 'kept').to.equal('Ina')
    await page.getByLabel('Password').fill(password)
    await button(page, 'Create account').click()
    await page.getByLabel('Six-digit code from the email').waitFor()
    expect(await statusOf(page)).to.equal(
      `We sent a code to ${email}. If the address already has an account, the email says so.`,
    )
    const code = await codeFor(email)
    await page.getByLabel('Six-digit code from the email').fill(code === '000000' ? '000001' : '000000')
    await button(page, 'Confirm').click()
    expect(await alertOf(page)).to.equal('The code is wrong or has expired.')
    await page.getByLabel('Six-digit code from the email').fill(code)
    await button(page, 'Confirm').click()
    await inside(page)
    expect(await page.locator('main h1').textContent()).to.equal('You do not belong to an organization yet')
    await page.getByLabel('Name').fill('Ina’s')
    await button(page, 'Create').click()
    await page.locator('.head strong', { hasText: 'Ina’s' }).waitFor()
    expect(new URL(page.url()).pathname).to.equal('/console/budgets')
    await ended(seen)
  })

  deepIt('of somebody who was invited is in the organization at once', async () => {
    const ana = await founder('Of invitations')
    const email = address()
    await ask('POST', '/members', { token: ana.accessToken, body: { email, roleID: 'viewer' } })
    const seen = await opening()
    await signUp(seen.page, email)
    await seen.page.getByLabel('Six-digit code from the email').fill(await codeFor(email, 2))
    await button(seen.page, 'Confirm').click()
    await seen.page.locator('.head strong', { hasText: 'Of invitations' }).waitFor()
    await ended(seen)
  })

  deepIt('that was there before accepts an invitation by a button', async () => {
    const name = 'Of guests whose organization has a name that no phone is wide enough for'
    const [ana, eva] = [await founder(name), await person()]
    await ask('POST', '/members', { token: ana.accessToken, body: { email: eva.email, roleID: 'viewer' } })
    const seen = await opening()
    const { page } = seen
    await page.getByLabel('Email').fill(eva.email)
    await page.getByLabel('Password').fill(password)
    await button(page, 'Sign in').click()
    await page.getByText('You are invited').waitFor()
    const statusIs = async () =>
      (await ask('GET', '/members', { token: ana.accessToken })).body.data.find(
        ({ email }: { email: string }) => email === eva.email,
      ).status
    expect(await statusIs(), 'not by signing in').to.equal('invited')
    await page.setViewportSize({ width: 360, height: 800 })
    expect([await findings(page), await sideways(page)]).to.deep.equal([[], 0])
    await button(page, 'Accept').click()
    await page.locator('.head strong', { hasText: name }).waitFor()
    expect(await statusIs()).to.equal('active')
    await ended(seen)
  })

  deepIt('that is not confirmed is asked for its code at the sign-in, and gets another', async () => {
    const email = address()
    await ask('POST', '/auth/signup', { body: { email, password, name: 'Ina' } })
    const first = await codeFor(email)
    const seen = await opening()
    const { page } = seen
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await button(page, 'Sign in').click()
    await page.getByText('Your address is not confirmed yet').waitFor()
    await button(page, `Send another code to ${email}`).click()
    const code = await codeFor(email, 2)
    await page.getByText('we sent another code').waitFor()
    expect(code).not.to.equal(first)
    await page.getByLabel('Six-digit code from the email').fill(code)
    await button(page, 'Confirm').click()
    await inside(page)
    await ended(seen)
  })
})

describeConsole('a forgotten password', () => {
  afterEach(resetClock)

  deepIt('is set anew by the code of the mail: signed in by the new one, other sessions end', async () => {
    const eva = await founder('Of memory')
    const seen = await opening('costs?range=7d')
    const { page } = seen
    await button(page, 'Forgot your password?').click()
    await page.getByLabel('Email').fill(eva.email)
    await button(page, 'Send code').click()
    await page.getByLabel('Six-digit code from the email').fill(await codeFor(eva.email))
    expect(await statusOf(page)).to.equal('If the address has an account, an email is on its way.')
    await page.getByRole('textbox', { name: 'New password' }).fill('staple of another horse')
    await button(page, 'Set password and sign in').click()
    await inside(page)
    expect(page.url()).to.match(/\/console\/costs\?range=7d$/)
    expect((await ask('GET', '/organisations', { token: eva.accessToken })).status).to.equal(401)
    await ended(seen)
  })

  deepIt('says the same of an address that nobody has', async () => {
    const seen = await opening()
    await button(seen.page, 'Forgot your password?').click()
    await seen.page.getByLabel('Email').fill(address())
    await button(seen.page, 'Send code').click()
    await seen.page.getByRole('textbox', { name: 'New password' }).waitFor()
    expect(await statusOf(seen.page)).to.equal('If the address has an account, an email is on its way.')
    await ended(seen)
  })
})

describeConsole('an organization that demands a second factor', () => {
  afterEach(resetClock)

  deepIt('has who has none enroll one, shows the recovery codes, and lets them in', async () => {
    const eva = await founder('Of demands')
    await (
      await testProduct()
    ).connections.store.pool.query(
      `insert into organization_setting (org_id, require_second_factor, updated_at) values ($1, true, now())
       on conflict (org_id) do update set require_second_factor = true`,
      [eva.orgId],
    )
    const seen = await opening('budgets')
    const { page } = seen
    await page.getByLabel('Email').fill(eva.email)
    await page.getByLabel('Password').fill(password)
    await button(page, 'Sign in').click()
    await page.getByText('Of demands requires two-factor authentication').waitFor()
    await page.getByLabel('Your password').fill('not this one')
    await button(page, 'Set up').click()
    expect(await alertOf(page)).to.equal('The password is wrong.')
    await page.getByLabel('Your password').fill(password)
    await button(page, 'Set up').click()
    const secret = (await page.locator('code.secret').textContent())!.replaceAll(' ', '')
    expect(await page.getByRole('link', { name: 'Open in an app' }).getAttribute('href')).to.include(secret)
    const code = await shownBy({ secret })
    await page.getByLabel('Current six-digit code').fill(code === '000000' ? '000001' : '000000')
    await button(page, 'Turn on').click()
    expect(await alertOf(page)).to.equal('The code is wrong or has expired.')
    await page.getByLabel('Current six-digit code').fill(code)
    await button(page, 'Turn on').click()
    await page.getByText('3. Save these recovery codes').waitFor()
    expect(await page.locator('.codes code').count()).to.equal(10)
    expect(await findings(page)).to.deep.equal([])
    await button(page, 'I have saved them, continue').click()
    await page.locator('main h1', { hasText: 'Budgets' }).waitFor()
    await ended(seen)
  })
})

describeConsole('the forms of the sign-in page', () => {
  const ways = {
    in: [],
    up: ['Create an account'],
    confirm: ['Create an account', 'I have a code'],
    forgotten: ['Forgot your password?'],
    reset: ['Forgot your password?', 'I have a code'],
    elsewhere: ['Sign in with single sign-on'],
  }
  for (const { theme, width } of looks) {
    deepIt(`are accessible to all, ${theme} and ${width} wide: axe-core, no sideways scroll, no fault`, async () => {
      const seen = await opening('', { theme, width })
      const { page } = seen
      const wrong: string[] = []
      for (const [form, buttons] of Object.entries(ways)) {
        await page.goto(`${(await testProduct()).url}/console/`)
        for (const name of buttons) await button(page, name).click()
        await page.locator('.sign-in form').last().waitFor()
        wrong.push(...(await findings(page)).map((text) => `${form} ${text}`))
        if ((await sideways(page)) > 0) wrong.push(`${form} scrolls sideways`)
      }
      expect(wrong).to.deep.equal([])
      await ended(seen)
    })
  }
})
