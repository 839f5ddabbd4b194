import { expect } from 'chai'
import { checkText } from '#http/identity/provider/saml-check.ts'
import { ask } from '#test/harness/people.ts'
import { deepIt } from '#test/harness/tier.ts'
import {
  assertion,
  attributeOf,
  awaited,
  codeOf,
  connection,
  exchange,
  keyOf,
  outcome,
  post,
  refused,
  response,
  said,
  signed,
  tried,
  worldOf,
  type Said,
  type World,
} from '#test/http/identity/saml-provider.ts'

describe('an answer of a SAML provider', () => {
  let world: World
  before(async () => void (world = await worldOf(await keyOf('idp'))))

  it('refuses an answer that says it is for another place, of another provider or version [AUTH-20]', async () => {
    const wrong: Readonly<Record<string, (xml: string) => string>> = {
      place: (xml) => xml.replace('Version=', 'Destination="https://other.example/auth/saml/acs" Version='),
      version: (xml) => xml.replace('Version="2.0"', 'Version="1.1"'),
      provider: (xml) =>
        xml.replace(
          '<samlp:Status>',
          '<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">x</saml:Issuer>$&',
        ),
    }
    for (const [name, change] of Object.entries(wrong)) {
      const { id, relayState } = await awaited(world)
      const right = response(id, signed(assertion(said(world, id)), world.key))
      expect(await outcome(change(right), relayState), name).to.equal(refused)
    }
    const { id, relayState } = await awaited(world)
    const right = response(id, signed(assertion(said(world, id)), world.key))
    const ours = right.replace('Version=', `Destination="${world.url}/auth/saml/acs" Version=`)
    expect(await outcome(ours, relayState)).to.equal(`eva@${world.domain}`)
  })

  it('refuses names and addresses that cannot be kept, or read as those of others', async () => {
    const attributes = attributeOf('email', `eva@${world.domain}`)
    const wrong: Readonly<Record<string, Partial<Said>>> = {
      NUL: { nameID: `eva&#0;@${world.domain}` },
      'half a surrogate': { nameID: `eva&#xD800;@${world.domain}` },
      'a sign without width': { nameID: `eva\u200b@${world.domain}` },
      'a sign that becomes a k': { nameID: `\u212Aim@${world.domain}` },
      'two addresses': { nameID: `a,eva@${world.domain}` },
      // One more than is taken; with ten thousand an index could not hold it.
      'a name that is too long': { nameID: 'n'.repeat(257), attributes },
    }
    for (const [name, more] of Object.entries(wrong)) expect(await tried(world, more), name).to.equal(refused)
    expect(await tried(world, { nameID: 'n'.repeat(256), attributes })).to.equal(`eva@${world.domain}`)
  })

  it('keeps what a provider calls a person as names are kept', async () => {
    const { id, relayState } = await awaited(world)
    const attributes = attributeOf('displayName', `Ad\u200bmin\u202e&#10;${'x'.repeat(200)}`)
    const more = { nameID: `ada@${world.domain}`, attributes }
    const answer = await post(response(id, signed(assertion(said(world, id, more)), world.key)), relayState)
    const { body } = await exchange(codeOf(answer))
    expect(body.data.user.name).to.equal(`Admin${'x'.repeat(95)}`)
  })

  it('leads to no page that is none', async () => {
    const put = (ssoURL: string) =>
      ask('PUT', `/organisations/${world.orgId}/saml`, {
        token: world.accessToken,
        body: { ...connection(world), ssoURL },
      })
    for (const ssoURL of ['https://idp.example/\r\nSet-Cookie: a=b', 'https://[idp.example', 'javascript:alert(1)']) {
      const { status, body } = await put(ssoURL)
      expect([status, body.errors?.[0]?.name], ssoURL).to.deep.equal([400, '/ssoURL'])
    }
  })

  it('refuses unread what would take so long to read that it held up others', async () => {
    const elements = (count: number) => '<a>x</a>'.repeat(count)
    const attributes = (count: number) => `<a ${'b="" '.repeat(count)}/>`
    const tooMuch = [elements(1501), attributes(64), `<a>${'x'.repeat(2 ** 18)}</a>`, '<!doctype a><a/>']
    for (const xml of tooMuch) expect(() => checkText(xml), xml.slice(0, 40)).to.throw()
    for (const xml of [elements(1500), attributes(63), `<a>${'x'.repeat(2 ** 18 - 7)}</a>`]) checkText(xml)
    const { id, relayState } = await awaited(world)
    const right = response(id, signed(assertion(said(world, id)), world.key))
    const large = right.replace('<samlp:Status>', `<samlp:Extensions>${elements(1501)}</samlp:Extensions>$&`)
    expect(await outcome(large, relayState)).to.equal(refused)
  })

  deepIt('takes no attribute for an address that is none, and never breaks on it', async () => {
    const value = (inside: string) =>
      `<saml:Attribute Name="email">${inside}</saml:Attribute>`.replaceAll('V>', 'saml:AttributeValue>')
    const values = [
      '<V><x>a@b.example</x></V>',
      `<V>@</V><V>eva@${world.domain}</V>`,
      '<V/>',
      '',
      '<V>eva@other.example</V>',
    ]
    for (const inside of values) {
      const got = await tried(world, { attributes: value(inside) })
      expect([refused, `eva@${world.domain}`], inside).to.include(got)
    }
    expect(await tried(world, { attributes: value('<V>eva@other.example</V>') })).to.equal(refused)
  })
})
