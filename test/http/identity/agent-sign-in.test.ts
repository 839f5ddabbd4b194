/** Agents sign in as RFC 9728, 8414, 7591 and 7636 say, one after the other, as a client of MCP does. */
import { createHash, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { isRedirectURI, isRegistered } from '#http/identity/token/agent-client.ts'
import { advance, ask, founder, resetClock, type Founder } from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'

const redirect = 'https://agent.example.com/callback?from=tidemark'

describe('addresses that codes are sent to', () => {
  it('are of the web by https, of this machine, and of programs', () => {
    for (const good of [
      redirect,
      'http://127.0.0.1:33418/callback',
      'http://[::1]/',
      'http://localhost:5000/cb',
      'com.example.agent:/callback',
      'cursor://anysphere.cursor-mcp/oauth/callback',
    ])
      expect(isRedirectURI(good), good).to.equal(true)
    for (const bad of [
      'http://agent.example.com/callback',
      'http://localhost.example.com/',
      'https://agent.example.com/#x',
      'https://ana@agent.example.com/',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '/callback',
      '',
    ])
      expect(isRedirectURI(bad), bad).to.equal(false)
  })

  it('are those registered, on this machine at any port', () => {
    const client = { name: 'Agent', redirectURIs: [redirect, 'http://127.0.0.1/callback'] }
    expect(isRegistered(redirect, client)).to.equal(true)
    expect(isRegistered('http://127.0.0.1:4711/callback', client)).to.equal(true)
    for (const other of [
      'https://agent.example.com/callback',
      'http://127.0.0.1:4711/other',
      'http://localhost/callback',
    ])
      expect(isRegistered(other, client), other).to.equal(false)
  })
})

describe('the sign-in of an agent', () => {
  let owner: Founder
  let url: string
  before(async () => {
    owner = await founder()
    url = (await testProduct()).url
  })
  const verifier = 'v'.repeat(64)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const register = (uris: readonly string[] = [redirect]) =>
    ask('POST', '/oauth/register', { body: { client_name: 'Ada’s <agent>', redirect_uris: uris, scope: 'read' } })
  const allow = async (client_id: string, more: object = {}, who = owner) =>
    ask('POST', '/auth/agents/authorizations', {
      token: who.accessToken,
      body: { client_id, redirect_uri: redirect, code_challenge: challenge, state: 's t', role: 'viewer', ...more },
    })
  const exchange = async (given: Record<string, string>) => {
    const form = { grant_type: 'authorization_code', redirect_uri: redirect, code_verifier: verifier, ...given }
    const response = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }
  const codeIn = (answer: { body: any }) => new URL(answer.body.data.redirectURL).searchParams.get('code')!

  it('leads from the refusal to a token of the person who agreed, which the MCP server takes', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const refused = await ask('POST', '/mcp', { body: list })
    expect(refused.status).to.equal(401)
    const [, metadataURL = ''] = /^Bearer resource_metadata="([^"]+)"$/.exec(refused.headers.get('www-authenticate')!)!
    const resource = (await (await fetch(metadataURL)).json()) as any
    const publicUrl = resource.authorization_servers[0] as string
    expect(resource.resource).to.equal(`${publicUrl}/mcp`)
    const server = (await (await fetch(`${publicUrl}/.well-known/oauth-authorization-server`)).json()) as any
    expect(server.issuer).to.equal(publicUrl)
    expect(server.code_challenge_methods_supported).to.deep.equal(['S256'])
    expect(new URL(server.authorization_endpoint).pathname).to.equal('/console/authorize')

    const registered = await register()
    expect([registered.status, registered.body.client_name, registered.body.token_endpoint_auth_method]).to.deep.equal([
      201,
      'Adas agent',
      'none',
    ])
    const { client_id } = registered.body
    const query = new URLSearchParams({ client_id, redirect_uri: redirect })
    const shown = await ask('GET', `/auth/agents/client?${query}`, { token: owner.accessToken })
    expect(shown.body.data).to.deep.equal({ name: 'Adas agent', redirectHost: 'agent.example.com' })
    const answer = await allow(client_id, { resource: resource.resource })
    const { searchParams, origin } = new URL(answer.body.data.redirectURL)
    expect([origin, searchParams.get('state'), searchParams.get('iss'), searchParams.get('from')]).to.deep.equal([
      'https://agent.example.com',
      's t',
      publicUrl,
      'tidemark',
    ])
    const code = searchParams.get('code')!
    const got = await exchange({ client_id, code })
    expect([got.status, got.body.token_type, got.body.scope, got.body.expires_in]).to.deep.equal([
      200,
      'Bearer',
      'read',
      90 * 86_400,
    ])
    expect(got.headers.get('cache-control')).to.equal('no-store')
    const token = got.body.access_token as string
    expect((await ask('POST', '/mcp', { token, body: list })).body.result.tools.length).to.be.greaterThan(20)
    // At most the permissions of a viewer.
    expect((await ask('POST', '/notes', { token, body: { day: '2026-01-01', text: 'x' } })).status).to.equal(403)
    const tokens = await ask('GET', '/settings/personal-access-tokens', { token: owner.accessToken })
    expect(tokens.body.data.map(({ name, role }: any) => [name, role])).to.deep.include(['Adas agent', 'viewer'])
    // A code is good once.
    expect(await exchange({ client_id, code })).to.deep.include({ status: 400 })
  })

  it('refuses what was not asked for here, by the errors of OAuth', async () => {
    const { client_id } = (await register()).body
    const other = (await register(['https://other.example.com/'])).body.client_id as string
    const code = codeIn(await allow(client_id))
    const errorOf = async (given: Record<string, string>) => {
      const { status, body } = await exchange({ client_id, code, ...given })
      return `${status} ${body.error}`
    }
    expect(await errorOf({ code_verifier: 'w'.repeat(64) })).to.equal('400 invalid_grant')
    expect(await errorOf({ redirect_uri: 'https://other.example.com/' })).to.equal('400 invalid_grant')
    expect(await errorOf({ code: `${code}x` })).to.equal('400 invalid_grant')
    expect(await errorOf({ code: client_id })).to.equal('400 invalid_grant')
    expect(await errorOf({ client_id: `${other}x` })).to.equal('400 invalid_client')
    expect(await errorOf({ client_id: other })).to.equal('400 invalid_grant')
    expect(await errorOf({ resource: 'https://other.example.com/mcp' })).to.equal('400 invalid_target')
    expect(await errorOf({ grant_type: 'password' })).to.equal('400 invalid_request')
    const codes = async (given: object) => (await allow(client_id, given)).body.code
    expect(await codes({ redirect_uri: 'https://evil.example.com/' })).to.equal('invalid_redirect_uri')
    expect(await codes({ client_id: randomUUID() })).to.equal('invalid_client')
    expect(await codes({ resource: 'https://other.example.com/mcp' })).to.equal('invalid_target')
    const wrong = await register(['javascript:alert(1)'])
    expect([wrong.status, wrong.body.error]).to.deep.equal([400, 'invalid_redirect_uri'])
    // None of it has used the code up.
    expect((await exchange({ client_id, code })).status).to.equal(200)
  })

  it('is of a signed-in person alone: a token allows no program anything', async () => {
    const { client_id } = (await register()).body
    const code = codeIn(await allow(client_id, { role: null }))
    const { body } = await exchange({ client_id, code })
    expect(body.scope).to.equal('all')
    const answer = await ask('POST', '/auth/agents/authorizations', {
      token: body.access_token,
      body: { client_id, redirect_uri: redirect, code_challenge: challenge, role: null },
    })
    expect(answer.status).to.equal(403)
  })

  describe('of a program that registered for refresh tokens', () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const works = async (token: string) => (await ask('POST', '/mcp', { token, body: list })).status
    const registered = async (client_name = 'Ada') => {
      const body = {
        client_name,
        redirect_uris: [redirect],
        grant_types: ['authorization_code', 'refresh_token'],
      }
      const answer = await ask('POST', '/oauth/register', { body })
      expect(answer.body.grant_types).to.deep.equal(['authorization_code', 'refresh_token'])
      return answer.body.client_id as string
    }
    const signedIn = async () => {
      const client_id = await registered()
      const { body } = await exchange({ client_id, code: codeIn(await allow(client_id)) })
      return { client_id, ...body } as { client_id: string; access_token: string; refresh_token: string }
    }
    const renew = async (client_id: string, refresh_token: string) => {
      const form = { grant_type: 'refresh_token', client_id, refresh_token }
      const response = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
      return { status: response.status, body: (await response.json()) as any }
    }
    afterEach(resetClock)

    it('gets an access token of an hour, and with each refresh a new pair in place of the former one', async () => {
      const { client_id, access_token, refresh_token } = await signedIn()
      expect(await works(access_token)).to.equal(200)
      const next = await renew(client_id, refresh_token)
      expect([next.status, next.body.token_type, next.body.scope, next.body.expires_in]).to.deep.equal([
        200,
        'Bearer',
        'read',
        3600,
      ])
      expect([await works(access_token), await works(next.body.access_token)]).to.deep.equal([401, 200])
      const tokens = await ask('GET', '/settings/personal-access-tokens', { token: owner.accessToken })
      const [own, ...others] = tokens.body.data.filter(({ name }: any) => name === 'Ada')
      expect(others).to.deep.equal([])
      expect(Date.parse(own.expiresAt) - Date.parse(own.createdAt)).to.equal(90 * 86_400_000)
      await advance(3601)
      expect(await works(next.body.access_token)).to.equal(401)
      const last = await renew(client_id, next.body.refresh_token)
      expect([last.status, await works(last.body.access_token)]).to.deep.equal([200, 200])
    })

    it('gets the same pair for a response that was lost, and is revoked when a refresh token comes back later', async () => {
      const { client_id, refresh_token } = await signedIn()
      const first = await renew(client_id, refresh_token)
      const { access_token, refresh_token: again } = (await renew(client_id, refresh_token)).body
      expect([access_token, again]).to.deep.equal([first.body.access_token, first.body.refresh_token])
      await advance(11)
      const second = await renew(client_id, first.body.refresh_token)
      expect([
        second.status,
        await works(first.body.access_token),
        await works(second.body.access_token),
      ]).to.deep.equal([200, 401, 200])
      expect(await renew(client_id, refresh_token)).to.deep.include({ status: 400 })
      // The family has ended: neither the newest refresh token nor its access token is good.
      expect((await renew(client_id, second.body.refresh_token)).body.error).to.equal('invalid_grant')
      expect(await works(second.body.access_token)).to.equal(401)
    })

    it('is refused with the refresh token of another program, a changed one, and 90 days after the person agreed', async () => {
      const { client_id, refresh_token } = await signedIn()
      expect((await renew(await registered('Other'), refresh_token)).body.error).to.equal('invalid_grant')
      expect((await renew(client_id, `${refresh_token}x`)).body.error).to.equal('invalid_grant')
      expect((await renew('x', refresh_token)).body.error).to.equal('invalid_client')
      expect((await exchange({ client_id, grant_type: 'refresh_token' })).body.error).to.equal('invalid_request')
      await advance(90 * 86_400 + 1)
      expect((await renew(client_id, refresh_token)).body.error).to.equal('invalid_grant')
    })
  })
})
