// tier: deep
import { createHash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { SocialSettings } from '#http/identity/tools.ts'
import { describeConsole, look, type Seen } from '#test/console/browser.ts'
import { shownBy, withDevice } from '#test/harness/device.ts'
import { address, founder, resetClock, type Founder } from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'
import {
  assertion,
  exchange,
  keyOf,
  post,
  codeOf,
  requested,
  response,
  said,
  signed as signedXml,
  worldOf,
  type World,
} from '#test/http/identity/saml-provider.ts'
import { issuer, opened, signed, tools } from '#test/http/identity/social-provider.ts'

/** Refusals that are meant, and the forms of the provider. */
const expected = /Failed to load resource.*(401|403|404)/
const notBegun = 'This sign-in was not started in this window, so you were not signed in. Start it here.'

const inside = (page: Page) => page.waitForSelector('.frame')
const alertOf = async (page: Page): Promise<string> => {
  await page.getByRole('alert').waitFor()
  return (await page.getByRole('alert').textContent())!.trim()
}
const placeOf = (page: Page): string => page.url().replace(/^.*\/console/, '')
const whoOf = (page: Page) => page.locator('.who .pop p').first().textContent()

async function opening(who: Founder, at: string): Promise<Seen> {
  return look({ ...(await testProduct()), orgId: who.orgId }, { at, expected })
}

/** Ends it. Providers are other sites, but nothing else is. */
async function ended(seen: Seen, ...sites: string[]): Promise<void> {
  await seen.close()
  expect(seen.faults.filter((fault) => !sites.some((site) => fault.startsWith(`foreign: ${site}`)))).to.deep.equal([])
}

/** What the product signs people in by, while a test lasts. */
async function settings(social: Partial<SocialSettings>): Promise<() => void> {
  const identity = await tools()
  const before = { ...identity.social }
  Object.assign(identity.social, social)
  return () => Object.assign(identity.social, before)
}

/** The provider's page: leads back as `answer` says. */
async function authorizing(page: Page, site: string, answer: (asked: URLSearchParams) => Promise<string> | string) {
  const asked: URLSearchParams[] = []
  await page.route(`${site}/**`, async (route) => {
    const { searchParams } = new URL(route.request().url())
    asked.push(searchParams)
    await route.fulfill({ status: 302, headers: { location: await answer(searchParams) } })
  })
  return asked
}

describeConsole('signing in by Google', () => {
  let ana: Founder
  let provider: Awaited<ReturnType<typeof issuer>>
  let restore: () => void
  before(async () => {
    ana = await founder('Of Google')
    provider = await issuer()
    restore = await settings(provider.social)
  })
  after(() => restore())
  afterEach(resetClock)

  const fragment = async (asked: URLSearchParams, email: string, more: object = {}, state = asked.get('state')!) => {
    const claims = { ...provider.claims(email), nonce: asked.get('nonce'), ...more }
    const said = { id_token: await signed(claims, provider.pair), state }
    return `${asked.get('redirect_uri')}#${new URLSearchParams(said).toString()}`
  }

  it('goes to its page and comes back to where the person was, with nothing of it in the address', async () => {
    const seen = await opening(ana, 'costs?range=7d')
    const { page } = seen
    const all = await authorizing(page, provider.url, (asked) => fragment(asked, ana.email))
    await page.getByRole('button', { name: 'Sign in with Google' }).click()
    await inside(page)
    expect([placeOf(page), await whoOf(page)]).to.deep.equal(['/costs?range=7d', ana.email])
    const { state, nonce, ...asked } = Object.fromEntries(all[0]!)
    expect(asked).to.deep.equal({
      client_id: 'our-client',
      redirect_uri: `${(await testProduct()).url}/console/`,
      response_type: 'id_token',
      scope: 'openid email profile',
    })
    expect(state).to.match(/^[\w-]{32}$/)
    expect(nonce).to.match(/^[\w-]{32}$/)
    expect(nonce).not.to.equal(state)
    expect(await page.evaluate(() => sessionStorage.getItem('signing-in'))).to.equal(null)
    await ended(seen, provider.url)
  })

  it('asks for the second factor after it', async () => {
    const eva = await founder('Of Google and a device')
    const device = await withDevice(eva)
    const seen = await opening(eva, 'budgets')
    await authorizing(seen.page, provider.url, (asked) =>
      // The clock was moved on for the next code.
      fragment(asked, eva.email, { exp: Math.floor(Date.now() / 1000) + 7200 }),
    )
    await seen.page.getByRole('button', { name: 'Sign in with Google' }).click()
    await seen.page.getByLabel('Six-digit code from your device').fill(await shownBy(device))
    await seen.page.getByRole('button', { name: 'Continue' }).click()
    await inside(seen.page)
    expect(placeOf(seen.page)).to.equal('/budgets')
    await ended(seen, provider.url)
  })

  it('is refused with another state, another nonce, and where this window began nothing', async () => {
    const seen = await opening(ana, 'costs?range=7d')
    const { page } = seen
    const google = page.getByRole('button', { name: 'Sign in with Google' })
    let answer = (asked: URLSearchParams) => fragment(asked, ana.email, {}, 'another')
    await authorizing(page, provider.url, (asked) => answer(asked))
    await google.click()
    expect(await alertOf(page)).to.equal(notBegun)
    answer = (asked) => fragment(asked, ana.email, { nonce: 'another' })
    await google.click()
    expect(await alertOf(page)).to.equal('The identity token is not acceptable.')
    const token = await signed(provider.claims(ana.email), provider.pair)
    for (const state of ['', '&state=', '&state=s']) {
      await page.goto('about:blank')
      await page.goto(`${(await testProduct()).url}/console/#id_token=${token}${state}`)
      expect(await alertOf(page)).to.equal(notBegun)
      expect(placeOf(page)).to.equal('/')
    }
    expect(seen.asked.filter((one) => one.endsWith('/auth/browser/login'))).to.have.length(1)
    await ended(seen, provider.url, 'about:blank')
  })

  it('says that it was called off at the provider, and the person is where they were', async () => {
    const seen = await opening(ana, 'costs?range=7d')
    await authorizing(
      seen.page,
      provider.url,
      (asked) => `${asked.get('redirect_uri')}#error=access_denied&state=${asked.get('state')}`,
    )
    await seen.page.getByRole('button', { name: 'Sign in with Google' }).click()
    expect(await alertOf(seen.page)).to.equal(
      'The identity provider did not sign you in (error: access_denied). Try again, or sign in another way.',
    )
    expect(placeOf(seen.page)).to.equal('/costs?range=7d')
    await ended(seen, provider.url)
  })
})

describeConsole('signing in by GitHub', () => {
  let restore = () => {}
  afterEach(() => restore())

  it('is by a code that only the page that began it can use (PKCE)', async () => {
    const ana = await founder('Of GitHub')
    const posted: Record<string, string>[] = []
    const site = await opened(({ url = '' }, body) => {
      if (url === '/login/oauth/access_token') {
        posted.push(JSON.parse(body))
        return { json: { access_token: 'gho_1' } }
      }
      if (url === '/user') return { json: { id: Math.floor(Math.random() * 1e9), login: 'octo', name: null } }
      return { json: [{ email: ana.email, primary: true, verified: true }] }
    })
    const github = { githubClientId: 'gh-client', githubClientSecret: 'gh-secret' }
    restore = await settings({ githubUrl: site.url, githubApiUrl: site.url, ...github })
    const { url } = await testProduct()
    const seen = await opening(ana, 'budgets')
    const { page } = seen
    const all = await authorizing(
      page,
      site.url,
      (asked) => `${asked.get('redirect_uri')}?code=good&state=${asked.get('state')}`,
    )
    await page.getByRole('button', { name: 'Sign in with GitHub' }).click()
    await inside(page)
    expect([placeOf(page), await whoOf(page)]).to.deep.equal(['/budgets', ana.email])
    const { state, code_challenge: challenge, ...asked } = Object.fromEntries(all[0]!)
    expect(asked).to.deep.equal({
      client_id: 'gh-client',
      code_challenge_method: 'S256',
      redirect_uri: `${url}/console/`,
      scope: 'user:email',
    })
    const [{ code_verifier: verifier = '', ...rest } = {}] = posted
    expect(rest).to.deep.equal({
      client_id: 'gh-client',
      client_secret: 'gh-secret',
      code: 'good',
      redirect_uri: `${url}/console/`,
    })
    expect(verifier).to.match(/^[\w-]{64}$/)
    expect(createHash('sha256').update(verifier).digest('base64url')).to.equal(challenge)
    // Somebody else's code, in the window of one who is signed in: they stay who they are.
    await page.goto(`${url}/console/?code=theirs&state=${state}`)
    await inside(page)
    expect([placeOf(page), await whoOf(page), posted.length]).to.deep.equal(['/', ana.email, 1])
    await ended(seen, site.url)
  })
})

describeConsole('signing in by the provider of an organization', () => {
  let world: World
  before(async () => void (world = await worldOf(await keyOf('idp'))))

  /** The provider's page, which sends its answer by a form. */
  const providing = (page: Page) =>
    page.route('https://idp.example/**', async (route) => {
      const { searchParams } = new URL(route.request().url())
      const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest')!, 'base64')).toString()
      const id = / ID="([^"]+)"/.exec(xml)![1]!
      const answer = response(id, signedXml(assertion(said(world, id)), world.key))
      const field = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`
      await route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${world.url}/auth/saml/acs">${field('SAMLResponse', Buffer.from(answer).toString('base64'))}${field('RelayState', searchParams.get('RelayState')!)}</form><script>document.forms[0].submit()</script>`,
      })
    })

  async function toProvider(page: Page, email: string): Promise<void> {
    await page.getByRole('button', { name: 'Sign in with single sign-on' }).click()
    await page.getByRole('form', { name: 'Single sign-on' }).getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Continue to your provider' }).click()
  }

  it('goes there and comes back to where the person was, though APP_URL is not set', async () => {
    const seen = await opening(world, 'costs?range=7d')
    await providing(seen.page)
    await toProvider(seen.page, `eva@${world.domain}`)
    await inside(seen.page)
    expect([placeOf(seen.page), await whoOf(seen.page)]).to.deep.equal(['/costs?range=7d', `eva@${world.domain}`])
    await seen.page.reload()
    await inside(seen.page)
    await ended(seen, 'https://idp.example/')
  })

  it('says so where no organization signs in the address', async () => {
    const seen = await opening(world, '')
    await toProvider(seen.page, address())
    expect(await alertOf(seen.page)).to.equal(
      'No organization here has single sign-on for addresses at example.com. Check the address, or sign in another way.',
    )
    await ended(seen)
  })

  it('does not take the code of a sign-in that somebody else began, also while one is begun here', async () => {
    const { id, relayState } = await requested(world)
    const theirs = await post(response(id, signedXml(assertion(said(world, id)), world.key)), relayState)
    const seen = await opening(world, '')
    await seen.page.route('https://idp.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: 'Wait' }),
    )
    await toProvider(seen.page, `eva@${world.domain}`)
    await seen.page.waitForURL('https://idp.example/**')
    await seen.page.goto(theirs.headers.get('location')!)
    expect(await alertOf(seen.page)).to.equal(notBegun)
    expect(placeOf(seen.page)).to.equal('/')
    // It was not so much as used.
    expect((await exchange(codeOf(theirs))).status).to.equal(200)
    await ended(seen, 'https://idp.example/')
  })
})
