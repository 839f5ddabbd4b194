// tier: deep
import { expect } from 'chai'
import { describeConsole, findings, look, type Seen } from '#test/console/browser.ts'
import {
  clientSecret,
  connected,
  openIdProvider,
  openIdWorld,
  type OpenId,
  type OpenIdWorld,
} from '#test/harness/openid.ts'
import { ask } from '#test/harness/people.ts'
import { dnsRecords, tenant, testProduct, type Tenant } from '#test/harness/product.ts'
import { scimBy } from '#test/harness/scim.ts'

describeConsole('the console: the OpenID provider of an organization, and its directory', () => {
  let org: Tenant
  let seen: Seen
  let domain: string
  const oidc = async () => (await org.get(`/organisations/${org.orgId}/oidc`)).body
  const button = (name: string) => seen.page.getByRole('button', { name, exact: true })
  const field = (name: RegExp) => seen.page.getByLabel(name)

  before(async () => {
    org = await tenant()
    domain = `${org.orgId.slice(0, 8)}.example`
    seen = await look(org, { expected: /400|404|409|422/ })
  })
  after(() => seen?.close())

  it('is set by what it is registered with; what is refused stands at its field, and the secret is shown nowhere', async () => {
    await seen.open('settings?tab=sign-on')
    await button('Configure OpenID provider').click()
    await field(/^Issuer/).fill('idp.example')
    await field(/^Client ID/).fill('tidemark')
    await field(/^Client secret/).fill(clientSecret)
    await field(/^Email domains/).fill(domain)
    await button('Save OpenID provider').click()
    await seen.page.locator('.field', { hasText: 'Issuer' }).locator('.wrong').waitFor()
    expect(await findings(seen.page)).to.deep.equal([])
    await field(/^Issuer/).fill('https://idp.example')
    await button('Save OpenID provider').click()
    await seen.page.getByRole('heading', { name: 'Domain verification' }).waitFor()
    const { issuer, clientID, emailDomains, redirectURI } = (await oidc()).data
    expect([issuer, clientID, emailDomains]).to.deep.equal(['https://idp.example', 'tidemark', [domain]])
    const text = await seen.page.locator('main').textContent()
    expect([text!.includes(redirectURI), text!.includes(clientSecret)]).to.deep.equal([true, false])
    expect(seen.faults).to.deep.equal([])
  })

  it('has its domains proved, and keeps its secret when something else is changed', async () => {
    const [{ record }] = (await oidc()).data.domains
    dnsRecords.set(record.name, [record.value])
    await button(`Verify now: ${domain}`).click()
    await seen.page.getByText('verified', { exact: true }).waitFor()
    await button('Edit OpenID provider').click()
    await field(/^Email-verified claim/).fill('xms_edov')
    await button('Save OpenID provider').click()
    await button('Edit OpenID provider').waitFor()
    expect((await oidc()).data.emailVerifiedClaim).to.equal('xms_edov')
    expect(await findings(seen.page)).to.deep.equal([])
  })

  it('gives the directory a token that is shown once, and takes it back', async () => {
    await field(/^Directory name/).fill('Entra ID')
    await button('Create directory token').click()
    await seen.page.getByText('Token Entra ID').first().waitFor()
    const token = /svc_pat_[\w-]{43}/.exec((await seen.page.locator('main').textContent())!)![0]
    expect((await scimBy(token)('GET', '/Users')).status).to.equal(200)
    await button('Revoke directory token Entra ID').click()
    await seen.page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await seen.page.getByText('No directory tokens yet.').waitFor()
    expect((await scimBy(token)('GET', '/Users')).status).to.equal(401)
    expect(seen.faults).to.deep.equal([])
  })

  it('is removed having said what ends', async () => {
    await button('Remove OpenID provider…').click()
    const dialog = seen.page.getByRole('dialog')
    expect(await dialog.textContent()).to.include('Sessions started with it end immediately')
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await seen.page.getByText('No OpenID provider configured.').waitFor()
    expect((await oidc()).code).to.equal('not_found')
  })
})

describeConsole('signing in at the OpenID provider of an organization', () => {
  let w: OpenIdWorld
  let idp: OpenId
  before(async () => {
    w = await openIdWorld()
    idp = await openIdProvider([w.redirectURI])
    idp.accounts.set('eva', { sub: 'eva', email: `eva@${w.domain}`, email_verified: true, name: 'Eva' })
    idp.accounts.set('tom', { sub: 'tom', email: `tom@${w.domain}`, email_verified: false })
    await connected(w, idp.issuer)
  })
  after(() => idp?.close())

  async function signIn(name: string) {
    const site = { ...(await testProduct()), orgId: w.orgId }
    const seen = await look(site, { at: 'costs?range=7d', expected: /Failed to load resource.*40[134]|form-action/ })
    const { page } = seen
    await page.getByRole('button', { name: 'Sign in with single sign-on' }).click()
    await page.getByRole('form', { name: 'Single sign-on' }).getByLabel('Email').fill(`${name}@${w.domain}`)
    await page.getByRole('button', { name: 'Continue to your provider' }).click()
    await page.waitForURL(`${idp.issuer}/interaction/**`)
    await page.locator('input[name=login]').fill(name)
    await page.locator('input[name=password]').fill('x')
    await page.locator('button[type=submit]').click()
    await page.locator('form[action*="/interaction/"] button[type=submit]').click()
    return seen
  }

  it('goes there and comes back to where the person was', async () => {
    const seen = await signIn('eva')
    await seen.page.waitForSelector('.frame')
    const who = await seen.page.locator('.who .pop p').first().textContent()
    expect([seen.page.url().replace(/^.*\/console/, ''), who]).to.deep.equal(['/costs?range=7d', `eva@${w.domain}`])
    await seen.close()
    const { body } = await ask('GET', '/security-events?type=login', { token: w.accessToken })
    expect(body.data.items[0].detail).to.deep.equal({ method: 'oidc' })
  })

  it('says why it does not let somebody in', async () => {
    const seen = await signIn('tom')
    await seen.page.getByRole('alert').waitFor()
    expect((await seen.page.getByRole('alert').textContent())!.trim()).to.equal(
      'The identity provider has not verified your email address. You were not signed in.',
    )
    await seen.close()
  })
})
