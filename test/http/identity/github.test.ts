import { expect } from 'chai'
import { type SocialLogin } from '#http/identity/provider/social.ts'
import { address, ask, claimsOf } from '#test/harness/people.ts'

import {
  logIn,
  refusal,
  bad,
  away,
  userOf,
  type Site,
  opened,
  issuer,
  signed,
  google,
} from '#test/http/identity/social-provider.ts'

interface Told {
  email: string
  primary: boolean
  verified: boolean
}

/** GitHub: `emails` are of whoever brings the code `good`. */
async function gitHub(emails: Told[], fails: Partial<Record<string, number>> = {}) {
  const id = Math.floor(Math.random() * 1e9)
  const posted: unknown[] = []
  const site: Site = await opened(({ url = '', headers }, body) => {
    const status = fails[url]
    if (status) return { status, json: { message: 'no' } }
    if (url === '/login/oauth/access_token') {
      const given = JSON.parse(body) as { code: string }
      posted.push(given)
      return { json: given.code === 'good' ? { access_token: 'gho_1' } : { error: 'bad_verification_code' } }
    }
    if (headers.authorization !== 'Bearer gho_1') return { status: 401 }
    return { json: url === '/user' ? { id, login: 'octo', name: null } : emails }
  })
  const social = {
    githubUrl: site.url,
    githubApiUrl: site.url,
    githubClientId: 'gh-client',
    githubClientSecret: 'gh-secret',
  }
  return { ...site, social, posted }
}

const github = (token: string, more: Partial<SocialLogin> = {}): SocialLogin => ({ provider: 'github', token, ...more })

describe('sign-in by GitHub', () => {
  it('is by the primary address, which is confirmed [AUTH-18]', async () => {
    const email = address()
    const emails = [
      { email: address(), primary: false, verified: true },
      { email: email.toUpperCase(), primary: true, verified: true },
    ]
    const { social, posted } = await gitHub(emails)
    const login = github('good', { codeVerifier: 'v'.repeat(43), redirectURI: 'https://app.example/back' })
    const first = await logIn(social, login)
    expect(first.user).to.deep.equal({ email, name: 'octo' })
    expect(posted).to.deep.equal([
      {
        client_id: 'gh-client',
        client_secret: 'gh-secret',
        code: 'good',
        code_verifier: 'v'.repeat(43),
        redirect_uri: 'https://app.example/back',
      },
    ])
    emails[1]!.email = address()
    const second = await logIn(social, login)
    expect(claimsOf(second.accessToken)['sub'], 'known by its number').to.equal(claimsOf(first.accessToken)['sub'])
  })

  it('is refused for a code that is not good, and without a confirmed primary address [AUTH-18]', async () => {
    const email = address()
    const { social } = await gitHub([{ email, primary: true, verified: true }])
    expect(await refusal(social, github('bad'))).to.equal(bad)
    const lists = [[], [{ email, primary: true, verified: false }], [{ email, primary: false, verified: true }]]
    for (const emails of lists) {
      expect(await refusal((await gitHub(emails)).social, github('good')), JSON.stringify(emails)).to.equal(bad)
    }
    expect(await userOf(email)).to.equal(null)
  })

  it('says that GitHub is away when it does not answer as it should', async () => {
    const emails = [{ email: address(), primary: true, verified: true }]
    for (const path of ['/login/oauth/access_token', '/user', '/user/emails']) {
      for (const status of [500, 503, 403]) {
        const { social } = await gitHub(emails, { [path]: status })
        expect(await refusal(social, github('good')), `${path} ${status}`).to.equal(away)
      }
    }
    const odd = await opened(() => ({ json: ['not', 'this'] }))
    const { social } = await gitHub(emails)
    expect(await refusal({ ...social, githubUrl: odd.url }, github('good'))).to.equal(away)
  })

  it('does not give what one issuer calls a person to another [AUTH-18]', async () => {
    const { social, claims, pair } = await issuer()
    const said = { ...claims(address()), sub: '1' }
    const one = await logIn(social, google(await signed(said, pair)))
    const again = await issuer()
    const other = await logIn(again.social, google(await signed({ ...again.claims(address()), sub: '1' }, again.pair)))
    expect(claimsOf(other.accessToken)['sub']).to.not.equal(claimsOf(one.accessToken)['sub'])
  })
})

describe('sign-in that is not set up', () => {
  it('is refused as such', async () => {
    expect(await refusal({}, google('a.b.c'))).to.equal('refused capability_missing')
    expect(await refusal({}, github('good'))).to.equal('refused capability_missing')
    expect(await refusal({ githubClientId: 'only' }, github('good'))).to.equal('refused capability_missing')
    for (const [provider, token] of [
      ['oauth_a', 'a.b.c'],
      ['github', 'code'],
    ]) {
      const { status, body } = await ask('POST', '/auth/login', { body: { provider, token } })
      expect([status, body.code], provider).to.deep.equal([422, 'capability_missing'])
    }
  })
})
