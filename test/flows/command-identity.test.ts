import { expect } from 'chai'
import { commandedIn, tidemark } from '#test/harness/command.ts'
import { testFolder } from '#test/harness/stores.ts'
import { shownBy } from '#test/harness/device.ts'
import { address, ask, claimsOf, founder, password, resetClock } from '#test/harness/people.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { samlOf } from '#test/harness/side.ts'
import { tenant, testProduct, until, type Tenant } from '#test/harness/product.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

const signIn = (email: string, password: string) =>
  ask('POST', '/auth/login', { body: { provider: 'email', email, password } })

describe('commands of identity, beside a running product', () => {
  let org: Tenant
  before(async () => {
    await resetClock()
    org = await tenant()
  })

  it('make a token for analysts, which is good for nothing else', async () => {
    const analyst = await tidemark('pat', 'create', '--org', org.orgId, '--role', 'viewer', '--scope', 'analyst')
    expect((await ask('GET', '/members', { token: analyst.token })).body.code).to.equal('wrong_scope')
    const asked = { body: 'SELECT currentDatabase()', headers: basic(analyst.token) }
    expect(await (await askAt(org.analystsUrl, asked)).text()).to.equal(`org_${org.orgId}\n`)
  })

  it('take an organization by its name, and one that was saved as the default', async () => {
    const name = `Acme ${org.orgId}`
    const { id } = await tidemark('org', 'create', name)
    const refusal = (...args: string[]) =>
      tidemark(...args).catch((error: { stdout: string }) => JSON.parse(error.stdout).error.message)
    expect((await tidemark('pat', 'create', '--org', name)).orgId).to.equal(id)
    expect(await refusal('pat', 'list', '--org', `${name}s`)).to.equal(
      `Organization ${name}s was not found. Did you mean "${name}"?`,
    )
    expect(await refusal('pat', 'list')).to.match(/^--org is missing\./)
    const folder = testFolder()
    const inFolder = async (...args: string[]) => JSON.parse((await commandedIn(folder, ...args, '--json')).stdout)
    expect(await inFolder('config', 'set', 'org', name)).to.deep.equal({ org: { id, name } })
    expect(await inFolder('config', 'show')).to.deep.equal({ org: { id, name } })
    expect(await inFolder('pat', 'list')).to.have.length(1)
    expect(await inFolder('config', 'unset', 'org')).to.deep.equal({ org: null })
    expect(await inFolder('config', 'show')).to.deep.equal({ org: null })
  })

  it('make a person who signs in at once, with the role that was given [AUTH-19]', async () => {
    const email = `op-${org.orgId.slice(0, 8)}@example.com`
    const made = await tidemark('user', 'create', email, '--name', 'Op', '--org', org.orgId, '--role', 'admin')
    expect(made).to.deep.include({ email, name: 'Op', orgId: org.orgId, role: 'admin' })
    const { status, body } = await signIn(email, made.password)
    expect(status).to.equal(200)
    expect(claimsOf(body.data.accessToken)).to.deep.include({ org_id: org.orgId, role: 'admin', sub: made.id })
    const twice = await tidemark('user', 'create', email).catch((error: { stdout: string }) => JSON.parse(error.stdout))
    expect(twice.error.message).to.equal(`${email} already has an account.`)

    const token = await tidemark('pat', 'create', '--org', org.orgId, '--user', email)
    expect((await ask('GET', '/members', { token: token.token })).body.data.map((m: any) => m.email)).to.include(email)

    if (isDeep) {
      const listed = await tidemark('pat', 'list', '--org', org.orgId)
      expect(listed.find((one: any) => one.id === token.id)).to.include({ user: email, role: null })
      expect(listed.map((one: any) => one.scope)).to.include.members(['api', 'analyst'])
    }
    await tidemark('pat', 'revoke', token.id, '--org', org.orgId)
    expect((await ask('GET', '/members', { token: token.token })).status, 'a token taken back').to.equal(401)
    if (isDeep) {
      const left = (await tidemark('pat', 'list', '--org', org.orgId)).map((one: any) => one.id)
      expect(left).to.not.include(token.id)
    }

    const reset = await tidemark('user', 'reset-password', email)
    expect((await signIn(email, made.password)).status).to.equal(401)
    expect((await signIn(email, reset.password)).status).to.equal(200)
    expect((await ask('GET', '/organisations', { token: body.data.accessToken })).status, 'its session').to.equal(401)

    const trail = (await org.get('/security-events?limit=200')).body.data.items as any[]
    const ofOperator = trail.filter((event) => event.principal === 'operator').map((event) => event.type)
    expect(ofOperator).to.deep.equal([
      'password_reset',
      'token_revoked',
      'token_created',
      'member_changed',
      // The token of an analyst, before.
      'token_created',
    ])
  })

  it('print a link that signs in whom they name', async () => {
    process.env['PUBLIC_URL'] = 'https://cost.example/tide/'
    try {
      const { orgId, email } = await founder()
      const made = await tidemark('console', '--org', orgId)
      expect([made.user, made.orgId]).to.deep.equal([email, orgId])
      const [page, token] = made.console.split('#token=')
      expect(page).to.equal('https://cost.example/tide/console/')
      const signedIn = await ask('POST', '/auth/browser/link', { body: { token } })
      expect([signedIn.status, signedIn.body.data?.user.email]).to.deep.equal([200, email])
    } finally {
      delete process.env['PUBLIC_URL']
    }
  })

  deepIt('print a link for whom they name, and say what to name where that is not clear', async function () {
    this.timeout(180_000)
    const refusal = (...args: string[]) =>
      tidemark('console', ...args).catch((error: { stdout: string }) => JSON.parse(error.stdout).error.message)
    expect(await refusal()).to.equal('The address of the edge is unknown. Set PUBLIC_URL.')
    process.env['PUBLIC_URL'] = 'https://cost.example/tide/'
    try {
      const other = await tenant()
      const emails = ['a', 'b'].map((name) => `${name}-${other.orgId.slice(0, 8)}@example.com`)
      for (const email of emails)
        expect((await tidemark('user', 'create', email, '--org', other.orgId, '--role', 'owner')).console).to.equal(
          'https://cost.example/tide/console/',
        )
      expect(await refusal()).to.match(
        /^There is more than one organization. Choose one with --org:\n {2}[0-9a-f-]{36} {2}/,
      )
      expect(await refusal('--org', 'x')).to.equal(
        'Organization x was not found. Run "tidemark org list" to see all organizations.',
      )
      const several = `The organization has several owners. Choose one with --user:\n  ${emails[0]}\n  ${emails[1]}`
      expect(await refusal('--org', other.orgId)).to.equal(several)
      const nobody = 'nobody@example.com'
      expect(await refusal('--user', nobody)).to.equal(
        `User ${nobody} was not found. Create it with: tidemark user create ${nobody}`,
      )
      expect(await refusal('--org', org.orgId, '--user', emails[0]!)).to.equal(
        `${emails[0]} is not a member of ${org.orgId}.`,
      )
      const unknown = address()
      await ask('POST', '/auth/signup', { body: { email: unknown, password: 'correct horse battery', name: 'Ana' } })
      expect(await refusal('--user', unknown)).to.equal(
        `${unknown} has not confirmed this address. To confirm it, run: tidemark user create ${unknown}`,
      )
      for (const args of [
        ['--user', emails[1]!.toUpperCase()],
        ['--user', emails[1]!, '--org', other.orgId],
      ]) {
        const made = await tidemark('console', ...args)
        expect([made.user, made.orgId]).to.deep.equal([emails[1], other.orgId])
        const [page, token] = made.console.split('#token=')
        expect(page).to.equal('https://cost.example/tide/console/')
        const signedIn = await ask('POST', '/auth/browser/link', { body: { token } })
        expect([signedIn.status, signedIn.body.data?.user.email]).to.deep.equal([200, emails[1]])
      }
    } finally {
      delete process.env['PUBLIC_URL']
    }
  })

  it('set no password that is guessed first', async () => {
    const email = `weak-${org.orgId.slice(0, 8)}@example.com`
    const refusal = (...args: string[]) =>
      tidemark(...args, '--password', 'Password1!').catch((error: { stdout: string }) => JSON.parse(error.stdout))
    const message = '--password is a common password; choose another one'
    expect((await refusal('user', 'create', email)).error.message).to.equal(message)
    expect((await signIn(email, 'Password1!')).status, 'nobody was made').to.equal(401)
    const known = await founder()
    expect((await refusal('user', 'reset-password', known.email)).error.message).to.equal(message)
    expect((await signIn(known.email, password)).status).to.equal(200)
  })

  deepIt('take a second factor from a person who has lost it', async () => {
    const email = `lost-${org.orgId.slice(0, 8)}@example.com`
    const { password } = await tidemark('user', 'create', email, '--org', org.orgId)
    const token = (await signIn(email, password)).body.data.accessToken as string
    const { secret } = (await ask('POST', '/auth/second-factor', { token, body: { password } })).body.data
    await ask('POST', '/auth/second-factor/confirm', { token, body: { code: await shownBy({ secret }) } })
    expect((await signIn(email, password)).body.code).to.equal('mfa_required')
    expect(await tidemark('user', 'reset-second-factor', email)).to.deep.equal({ email, reset: true })
    expect((await signIn(email, password)).status).to.equal(200)
    expect(await tidemark('user', 'reset-second-factor', email)).to.deep.equal({ email, reset: false })
    const [event] = (await org.get('/security-events?type=second_factor_disabled')).body.data.items as any[]
    expect([event.email, event.principal]).to.deep.equal([email, 'operator'])
  })

  deepIt(
    'list domains of identity providers, and prove one on the word of an operator, unless another organization has it',
    async () => {
      const domain = `${org.orgId}.example`
      const named = async (who: Tenant) =>
        (await who.send('PUT', `/organisations/${who.orgId}/saml`, samlOf(domain))).body.data.domains[0]
      const { record } = await named(org)
      const pending = { orgId: org.orgId, domain, status: 'pending', record, verifiedAt: null }
      expect(await tidemark('saml', 'domains', '--org', org.orgId)).to.deep.equal([pending])
      const proved = await tidemark('saml', 'verify-domain', domain.toUpperCase(), '--org', org.orgId, '--trust')
      expect(proved).to.deep.include({ orgId: org.orgId, domain })
      const verified = { ...pending, status: 'verified', verifiedAt: proved.verifiedAt }
      expect(await tidemark('saml', 'domains', '--org', org.orgId)).to.deep.equal([verified])
      const [event] = (await org.get('/security-events?type=saml_domain_verified')).body.data.items
      expect([event.principal, event.detail]).to.deep.equal(['operator', { domain }])
      const other = await tenant()
      await named(other)
      const refused = await tidemark('saml', 'verify-domain', domain, '--org', other.orgId, '--trust').catch(
        (error: { stdout: string }) => JSON.parse(error.stdout),
      )
      expect(refused.error.message).to.equal(
        'Another organization has verified this domain, and its record still exists.',
      )
    },
  )

  deepIt('take back what older keys have signed, in the running product, within five seconds [AUTH-12]', async () => {
    const { url } = await testProduct()
    const kids = async () =>
      ((await (await fetch(`${url}/.well-known/jwks.json`)).json()) as any).keys.map((key: any) => key.kid)
    const { token } = await org.signedIn()
    expect((await ask('GET', '/organisations', { token })).status).to.equal(200)
    const { kid } = await tidemark('keys', 'rotate', '--revoke')
    const since = performance.now()
    await until('the token is refused', async () => (await ask('GET', '/organisations', { token })).status === 401)
    // A slow machine must fail nothing in `npm test`.
    if (isDeep) expect(performance.now() - since).to.be.below(9_000)
    expect(await kids()).to.deep.equal([kid])
  })
})
