// tier: deep
import { expect } from 'chai'
import { describeConsole, findings, look, type Seen } from '#test/console/browser.ts'
import { certificatePEM } from '#test/harness/certificate.ts'
import { dnsRecords, tenant, type Tenant } from '#test/harness/product.ts'

describeConsole('the console: the identity provider of an organization', () => {
  let org: Tenant
  let seen: Seen
  let domain: string
  const saml = async () => (await org.get(`/organisations/${org.orgId}/saml`)).body
  const button = (name: string) => seen.page.getByRole('button', { name, exact: true })
  const field = (name: RegExp) => seen.page.getByLabel(name)

  before(async () => {
    org = await tenant()
    domain = `${org.orgId.slice(0, 8)}.example`
    // A provider that is not set is a 404 to who asks for it here, not to the view.
    seen = await look(org, { expected: /400|404|422/ })
  })
  after(() => seen?.close())

  it('is set by what its metadata says; what is refused stands at its field, and what was typed stays', async () => {
    await seen.open('settings?tab=sign-on')
    await seen.page.getByText('No identity provider configured.').waitFor()
    await button('Configure').click()
    await field(/^Provider entity ID/).fill('https://idp.example/metadata')
    await field(/^Sign-in URL/).fill('https://idp.example/sso')
    await field(/^Signing certificate/).fill('not a certificate')
    await field(/^Email domains/).fill(domain)
    await button('Save').click()
    const wrong = seen.page.locator('.field', { hasText: 'Signing certificate' }).locator('.wrong')
    await wrong.waitFor()
    expect(await field(/^Email domains/).inputValue()).to.equal(domain)
    expect((await saml()).code).to.equal('not_found')
    expect(await findings(seen.page)).to.deep.equal([])
    await field(/^Signing certificate/).fill(certificatePEM)
    await button('Save').click()
    await seen.page.getByRole('heading', { name: 'Domain verification' }).waitFor()
    const { entityID, ssoURL, emailDomains, enabled } = (await saml()).data
    expect([entityID, ssoURL, emailDomains, enabled]).to.deep.equal([
      'https://idp.example/metadata',
      'https://idp.example/sso',
      [domain],
      true,
    ])
    expect(seen.faults).to.deep.equal([])
  })

  it('has its domains proved by a record of the DNS, and says which one is missing', async () => {
    await seen.open('settings?tab=sign-on')
    const row = seen.page.getByRole('table', { name: 'Domains' }).locator('tbody tr')
    const [{ record }] = (await saml()).data.domains
    const shown = await row.textContent()
    expect([shown!.includes('pending'), shown!.includes(record.name), shown!.includes(record.value)]).to.deep.equal([
      true,
      true,
      true,
    ])
    await button(`Verify now: ${domain}`).click()
    await row.getByText(`There is no TXT record at ${record.name} with the value ${record.value}.`).waitFor()
    expect((await saml()).data.domains[0].status).to.equal('pending')
    expect(await findings(seen.page)).to.deep.equal([])
    dnsRecords.set(record.name, [record.value])
    await button(`Verify now: ${domain}`).click()
    await row.locator('.badge', { hasText: /^verified$/ }).waitFor()
    expect(await row.locator('.failed').count()).to.equal(0)
    expect((await saml()).data.domains[0].status).to.equal('verified')
    expect(seen.faults).to.deep.equal([])
  })

  it('keeps the proof when something else of it is changed, and is removed having said what ends', async () => {
    await seen.open('settings?tab=sign-on')
    await button('Edit').click()
    await seen.page.getByLabel('Sign-in enabled').uncheck()
    await button('Save').click()
    await seen.page.locator('.badge', { hasText: /^disabled$/ }).waitFor()
    const { enabled, domains } = (await saml()).data
    expect([enabled, domains[0].status]).to.deep.equal([false, 'verified'])
    await button('Remove…').click()
    const dialog = seen.page.getByRole('dialog')
    expect(await dialog.textContent()).to.include('Sessions started with it end immediately')
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await seen.page.getByText('No identity provider configured.').waitFor()
    expect((await saml()).code).to.equal('not_found')
    expect(seen.faults).to.deep.equal([])
  })
})
