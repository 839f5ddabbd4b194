import { expect } from 'chai'
import { waysIn } from '#http/identity/provider/social.ts'
import { ask } from '#test/harness/people.ts'
import { deepIt } from '#test/harness/tier.ts'
import { opened, unset, type Site } from '#test/http/identity/social-provider.ts'

const always = { password: true, saml: true, oidc: true }

/** An OpenID provider whose document says where people sign in. */
async function providerAt(authorization_endpoint: string | undefined): Promise<Site> {
  const site: Site = await opened(() => {
    const { url } = site
    return { json: { issuer: url, jwks_uri: `${url}/jwks`, authorization_endpoint } }
  })
  return site
}

describe('the ways to sign in', () => {
  it('are told to anybody, and are passwords and SAML where nothing else is set up', async () => {
    const { status, body } = await ask('GET', '/auth/browser/methods')
    expect([status, body]).to.deep.equal([200, { data: { ...always, google: null, github: null, signUp: 'open' } }])
  })

  it('are Google’s where its document says, asked for once, as the first of our clients', async () => {
    const { url, asked } = await providerAt('https://accounts.example/o/oauth2/auth')
    const social = { ...unset, googleIssuer: url, googleClientIds: ['web', 'app'] }
    const google = { authorizeURL: 'https://accounts.example/o/oauth2/auth', clientID: 'web' }
    expect(await waysIn(social)).to.deep.equal({ ...always, google, github: null })
    expect(await waysIn(social)).to.deep.equal({ ...always, google, github: null })
    expect(asked).to.deep.equal(['/.well-known/openid-configuration'])
  })

  it('are GitHub’s with its client and secret alone, wherever it is', async () => {
    const social = { ...unset, githubUrl: 'https://github.example/', githubClientId: 'Iv1.1' }
    expect((await waysIn(social)).github).to.equal(null)
    expect((await waysIn({ ...social, githubClientSecret: 's' })).github).to.deep.equal({
      authorizeURL: 'https://github.example/login/oauth/authorize',
      clientID: 'Iv1.1',
    })
  })

  deepIt('are without a provider that does not answer within two seconds, or not with an address', async () => {
    const { url } = await providerAt(undefined)
    expect((await waysIn({ ...unset, googleIssuer: url, googleClientIds: ['web'] })).google).to.equal(null)
    const odd = await providerAt('javascript:alert(1)')
    expect((await waysIn({ ...unset, googleIssuer: odd.url, googleClientIds: ['web'] })).google).to.equal(null)
    expect((await waysIn({ ...unset, googleClientIds: ['web'] })).google, 'nobody listens').to.equal(null)
    const began = performance.now()
    const silent = await providerAt('https://accounts.example/auth')
    silent.server.removeAllListeners('request')
    expect((await waysIn({ ...unset, googleIssuer: silent.url, googleClientIds: ['web'] })).google).to.equal(null)
    const took = performance.now() - began
    expect(took > 1_900 && took < 9_000, `${took} ms`).to.equal(true)
  })
})
