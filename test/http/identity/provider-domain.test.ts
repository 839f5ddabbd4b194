import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { Fault } from '#engine/value/fault.ts'
import { txtRecords } from '#streams/delivery/dns.ts'
import { findUnprovedOrganizations } from '#http/identity/provider/domain.ts'
import { ask, claimsOf, founder, person, proved, type Founder } from '#test/harness/people.ts'
import { dnsRecords, testProduct } from '#test/harness/product.ts'
import { sample } from '#test/harness/tier.ts'
import {
  assertion,
  attributeOf,
  codeOf,
  connection,
  exchange,
  initiate,
  keyOf,
  outcome,
  post,
  refused,
  requested,
  response,
  said,
  signed,
  tried,
  worldOf,
  type Key,
  type World,
} from '#test/http/identity/saml-provider.ts'

const pathOf = (who: Founder) => `/organisations/${who.orgId}/saml`
const put = (who: Founder, body: object) => ask('PUT', pathOf(who), { token: who.accessToken, body })
const verify = async (who: Founder, domain: string) => {
  const { status, body } = await ask('POST', `${pathOf(who)}/domains/${domain}/verify`, { token: who.accessToken })
  return { outcome: `${status} ${body.code ?? body.data.status}`, body }
}
const statusOf = async (who: Founder) =>
  (await ask('GET', pathOf(who), { token: who.accessToken })).body.data.domains.map((one: any) => one.status)

/** An organization with a provider and a domain that nobody has proved. */
async function unprovedWorld(key: Key, domain?: string): Promise<World & { record: { name: string; value: string } }> {
  const who = await founder('Claims')
  const own = domain ?? `${who.orgId.slice(0, 8)}.example`
  const world = {
    ...who,
    key,
    entityID: `https://idp.example/${who.orgId}`,
    domain: own,
    url: (await testProduct()).url,
  }
  const { body } = await put(who, connection(world))
  return { ...world, record: body.data.domains[0].record }
}

/** Signs `eva` of the domain in, and gives her tokens. */
async function signedIn(w: World): Promise<{ accessToken: string; refreshToken: string }> {
  const { id, relayState } = await requested(w)
  const answer = await post(response(id, signed(assertion(said(w, id)), w.key)), relayState)
  return (await exchange(codeOf(answer))).body.data
}

const works = async ({ accessToken: token }: { accessToken: string }) => {
  const { status, body } = await ask('GET', '/resources/count', { token })
  return `${status} ${body.code ?? ''}`.trim()
}
const refreshed = async ({ refreshToken }: { refreshToken: string }) =>
  (await ask('POST', '/auth/refresh', { body: { refreshToken } })).status
const eventsOf = async (who: Founder, type: string) => {
  const { body } = await ask('GET', `/security-events?type=${type}`, { token: who.accessToken })
  return body.data.items.map((one: any) => one.detail)
}

describe('a domain of an identity provider', () => {
  let key: Key
  /** Of an organization whose domain stays proved. */
  let proven: World
  before(async () => {
    key = await keyOf('idp')
    proven = await worldOf(key)
  })

  it('decides nothing until its record stands in the DNS [AUTH-06]', async () => {
    const w = await unprovedWorld(key)
    const { record } = w
    expect(record).to.deep.equal({ name: `_tidemark.${w.domain}`, type: 'TXT', value: record.value })
    expect(record.value).to.match(/^tidemark-verification=[A-Za-z0-9_-]{43}$/)
    const shown = await ask('GET', pathOf(w), { token: w.accessToken })
    expect([shown.body.data.emailDomains, shown.body.data.domains]).to.deep.equal([
      [w.domain],
      [{ domain: w.domain, status: 'pending', record, verifiedAt: null }],
    ])
    expect((await initiate(`eva@${w.domain}`)).status).to.equal(404)
    dnsRecords.set(record.name, ['v=spf1 -all', `${record.value}x`])
    const not = await verify(w, w.domain)
    expect(not.outcome).to.equal('422 domain_not_verified')
    expect(not.body.detail).to.equal(`There is no TXT record at ${record.name} with the value ${record.value}.`)
    expect((await initiate(`eva@${w.domain}`)).status).to.equal(404)
    await proved(w, { domain: w.domain, record })
    expect(await statusOf(w)).to.deep.equal(['verified'])
    expect(await tried(w)).to.equal(`eva@${w.domain}`)
    expect(await eventsOf(w, 'saml_domain_verified')).to.deep.equal([{ domain: w.domain }])
    expect((await verify(w, w.domain.toUpperCase())).outcome, 'again, in capitals').to.equal('200 verified')
    expect(await eventsOf(w, 'saml_domain_verified')).to.have.length(1)
  })

  it('makes nobody a member by an address at one that is not proved, though the provider vouches [AUTH-20]', async () => {
    const w = proven
    const victim = await person(`ceo@${w.orgId.slice(0, 8)}.victim.example`)
    const domain = victim.email.split('@')[1]!
    await put(w, { ...connection(w), emailDomains: [w.domain, domain] })
    const got = await tried(w, { nameID: victim.email })
    expect(got).to.equal(refused)
    const organizations = await ask('GET', '/organisations', { token: victim.accessToken })
    expect(organizations.body.data).to.deep.equal([])
  })

  it('vouches for its own people alone, whomever the provider named before [AUTH-20]', async () => {
    const w = proven
    const nameID = `before@${w.domain}`
    const { product } = await testProduct()
    const { em } = product.get(tokens.identity)
    const victim = await person(`ceo@${w.orgId.slice(0, 8)}.before.example`)
    await em().execute('insert into user_identity (issuer, subject, user_id, created_at) values (?, ?, ?, now())', [
      `saml:${w.orgId}:${w.entityID}`,
      nameID,
      claimsOf(victim.accessToken)['sub'],
    ])
    expect(await tried(w, { nameID })).to.equal(refused)
    expect(await tried(w), 'another of its people').to.equal(`eva@${w.domain}`)
  })

  it('is held by one organization: another takes it over only once the record of the first is gone', async () => {
    const first = await worldOf(key)
    const eva = await signedIn(first)
    const second = await unprovedWorld(await keyOf('other'), first.domain)
    expect((await verify(second, first.domain)).outcome, 'without a record').to.equal('422 domain_not_verified')
    const { name, value } = second.record
    const before = dnsRecords.get(name)!
    dnsRecords.set(name, [...before, value])
    expect((await verify(second, first.domain)).outcome, 'beside the first').to.equal('409 domain_taken')
    expect([await statusOf(first), await statusOf(second), await works(eva)]).to.deep.equal([
      ['verified'],
      ['pending'],
      '200',
    ])
    dnsRecords.set(name, [value])
    expect((await verify(second, first.domain)).outcome, 'alone').to.equal('200 verified')
    expect([await statusOf(first), await statusOf(second)]).to.deep.equal([['pending'], ['verified']])
    expect([await works(eva), await refreshed(eva)], 'who signed in by the first').to.deep.equal([
      '401 invalid_token',
      401,
    ])
    expect(await eventsOf(first, 'saml_domain_lost')).to.deep.equal([{ domain: first.domain }])
    expect(await tried(second), 'by the second').to.equal(`eva@${first.domain}`)
  })

  it('keeps its record and its proof while the connection has it, and loses both when it is left out', async () => {
    const w = await worldOf(key)
    const records = async () =>
      (await ask('GET', pathOf(w), { token: w.accessToken })).body.data.domains.map((one: any) => [
        one.status,
        one.record.value,
      ])
    const [[, value]] = await records()
    await put(w, { ...connection(w), emailDomains: [w.domain, `more.${w.domain}`] })
    const both = await records()
    expect(both.filter(([, one]: string[]) => one === value)).to.deep.equal([['verified', value]])
    expect(both).to.have.length(2)
    await put(w, { ...connection(w), emailDomains: [`more.${w.domain}`] })
    await put(w, connection(w))
    const [[status, fresh]] = await records()
    expect(status).to.equal('pending')
    expect(fresh).to.not.equal(value)
  })

  it('of nobody here is none, and other organizations have none', async () => {
    const w = proven
    const other = await founder()
    expect((await verify(w, 'nobody.example')).outcome).to.equal('404 not_found')
    const theirs = await ask('POST', `${pathOf(w)}/domains/${w.domain}/verify`, { token: other.accessToken })
    expect([theirs.status, theirs.body.code]).to.deep.equal([404, 'not_found'])
  })

  it('waits where the DNS does not answer, and says so', async () => {
    const { product } = await testProduct()
    const dns = product.get(tokens.dns)
    const before = dns.txtRecords
    const away = { resolveTxt: () => Promise.reject(Object.assign(new Error('x'), { code: 'ETIMEOUT' })) }
    dns.txtRecords = (name) => txtRecords(name, away)
    try {
      const w = await unprovedWorld(key)
      const { outcome: got, body } = await verify(w, w.domain)
      expect(got).to.equal('502 upstream_failed')
      expect(body.detail).to.equal(`The DNS lookup of _tidemark.${w.domain} failed (ETIMEOUT). Try again.`)
    } finally {
      dns.txtRecords = before
    }
  })

  it('of a provider from before, none of whose is proved, is told to the operator', async () => {
    const w = await unprovedWorld(key)
    const { em } = (await testProduct()).product.get(tokens.identity)
    const orgIds = await findUnprovedOrganizations(em())
    expect([orgIds.includes(w.orgId), orgIds.includes(proven.orgId)]).to.deep.equal([true, false])
  })
})

describe('what a provider calls a person', () => {
  it('is good for that provider alone: another one in its place may call somebody else the same', async () => {
    const w = await worldOf(await keyOf('idp'))
    const named = (name: string, entityID: string) =>
      tried({ ...w, entityID }, { nameID: 'u1', attributes: attributeOf('email', `${name}@${w.domain}`) })
    expect(await named('ana', w.entityID)).to.equal(`ana@${w.domain}`)
    expect(await named('ben', w.entityID), 'the same person by another address').to.equal(`ana@${w.domain}`)
    await put(w, { ...connection(w), entityID: 'https://another.example' })
    expect(await named('ben', 'https://another.example')).to.equal(`ben@${w.domain}`)
    await put(w, connection(w))
    expect(await named('ben', w.entityID)).to.equal(`ana@${w.domain}`)
  })
})

describe('an upgrade', () => {
  it('leaves what providers called people to the providers that are set', async () => {
    const { pool } = (await testProduct()).connections.store
    const client = await pool.connect()
    try {
      await client.query('begin; create schema before; set local search_path to before')
      await client.query(`create table saml_connection (org_id text, entity_id text);
        create table user_identity (issuer text, subject text);
        insert into saml_connection values ('o1', 'https://idp.example');
        insert into user_identity values ('saml:o1', 'u1'), ('saml:o2', 'u2'), ('google', 'u3')`)
      await client.query(readFileSync(path.join(root, 'http/identity/migrations/023_saml_issuer.sql'), 'utf8'))
      const { rows } = await client.query('select issuer from user_identity order by subject')
      expect(rows.map(({ issuer }) => issuer)).to.deep.equal(['saml:o1:https://idp.example', 'saml:o2', 'google'])
    } finally {
      await client.query('rollback')
      client.release()
    }
  })

  it('leaves domains from before unproved, each with a record of its own, and sessions as they are', async () => {
    const { pool } = (await testProduct()).connections.store
    const file = (name: string) => readFileSync(path.join(root, `http/identity/migrations/${name}.sql`), 'utf8')
    const made = file('002_people').match(/^(?:create|alter) (?:table|index)[^;]*"(?:saml_domain|session)"[^;]*;/gm)!
    const client = await pool.connect()
    try {
      await client.query('begin; create schema before; set local search_path to before')
      await client.query(made.join('\n'))
      await client.query(`insert into saml_domain values ('a.example', 'o1'), ('b.example', 'o1'), ('c.example', 'o2')`)
      await client.query(
        `insert into session values (gen_random_uuid(), gen_random_uuid(), 'o1', 'o1', 'saml', now(), now() + interval '1 day', null)`,
      )
      await client.query(file('007_saml_domain'))
      const { rows } = await client.query('select org_id, domain, verified_at, token from saml_domain order by domain')
      expect(rows.map(({ org_id, domain, verified_at }) => ({ org_id, domain, verified_at }))).to.deep.equal([
        { org_id: 'o1', domain: 'a.example', verified_at: null },
        { org_id: 'o1', domain: 'b.example', verified_at: null },
        { org_id: 'o2', domain: 'c.example', verified_at: null },
      ])
      expect(new Set(rows.map(({ token }) => token)).size).to.equal(3)
      for (const { token } of rows) expect(token).to.match(/^[0-9a-f]{64}$/)
      const sessions = await client.query('select method, revoked_at, amr from session')
      expect(sessions.rows).to.deep.equal([{ method: 'saml', revoked_at: null, amr: [] }])
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})

describe('the DNS', () => {
  const failing = (code: string) => ({ resolveTxt: () => Promise.reject(Object.assign(new Error(code), { code })) })

  it('gives texts with their pieces joined, and none for names without', async () => {
    const found = { resolveTxt: async () => [['tidemark-', 'verification=x'], ['v=spf1 -all']] }
    expect(await txtRecords('a.example', found)).to.deep.equal(['tidemark-verification=x', 'v=spf1 -all'])
    for (const code of ['ENOTFOUND', 'ENODATA', 'EBADNAME'])
      expect(await txtRecords('a.example', failing(code)), code).to.deep.equal([])
  })

  it('that fails is no DNS without records', async () => {
    const error = await txtRecords('a.example', failing('ESERVFAIL')).catch((caught: unknown) => caught)
    expect(error).to.be.instanceOf(Fault)
    expect(error).to.include({ kind: 'transient', code: 'upstream_failed' })
  })
})

describe('sessions that began at a provider', () => {
  let key: Key
  before(async () => void (key = await keyOf('idp')))
  const ended = ['401 invalid_token', 401]

  const ends: Readonly<Record<string, (w: World) => Promise<unknown>>> = {
    'is removed': (w) => ask('DELETE', pathOf(w), { token: w.accessToken }),
    'is switched off': (w) => put(w, { ...connection(w), enabled: false }),
    'is another one': (w) => put(w, { ...connection(w), entityID: 'https://another.example' }),
    'has their domain no more': (w) => put(w, { ...connection(w), emailDomains: [`other.${w.domain}`] }),
  }
  for (const [what, end] of sample(Object.entries(ends))) {
    it(`end at once when it ${what}, and no others`, async () => {
      const w = await worldOf(key)
      const eva = await signedIn(w)
      const { id, relayState } = await requested(w)
      const code = codeOf(await post(response(id, signed(assertion(said(w, id)), w.key)), relayState))
      const waiting = await requested(w)
      expect(await works(eva)).to.equal('200')
      await end(w)
      expect([await works(eva), await refreshed(eva)]).to.deep.equal(ended)
      expect((await exchange(code)).status, 'a code on its way').to.equal(401)
      const late = response(waiting.id, signed(assertion(said(w, waiting.id)), w.key))
      expect(await outcome(late, waiting.relayState), 'an answer on its way').to.equal(refused)
      expect(await works(w), 'the owner, by password').to.equal('200')
    })
  }

  it('go on when its certificate is renewed', async () => {
    const w = await worldOf(key)
    const eva = await signedIn(w)
    const { cert: certificatePEM } = await keyOf('renewed')
    expect((await put(w, { ...connection(w), certificatePEM })).status).to.equal(200)
    expect(await works(eva)).to.equal('200')
  })
})

describe('how a person signed in', () => {
  it('is said by tokens, also by those that are refreshed [RFC 8176]', async () => {
    const w = await worldOf(await keyOf('idp'))
    const eva = await signedIn(w)
    const ana = await founder()
    const amr = async ({ refreshToken }: { refreshToken: string }) => {
      const { body } = await ask('POST', '/auth/refresh', { body: { refreshToken } })
      return claimsOf(body.data.accessToken)['amr']
    }
    expect(claimsOf(eva.accessToken)['amr']).to.deep.equal(['fed', 'saml'])
    expect(claimsOf(ana.accessToken)['amr']).to.deep.equal(['pwd'])
    expect([await amr(eva), await amr(ana)]).to.deep.equal([['fed', 'saml'], ['pwd']])
  })

  it('is said by the way it began for sessions from before', async () => {
    const ana = await founder()
    const { em } = (await testProduct()).product.get(tokens.identity)
    await em().execute(`update session set amr = '[]' where id = ?`, [claimsOf(ana.accessToken)['sid']])
    const { body } = await ask('POST', '/auth/refresh', { body: { refreshToken: ana.refreshToken } })
    expect(claimsOf(body.data.accessToken)['amr']).to.deep.equal(['pwd'])
  })
})
