/** Who may make an account, and how many organizations: nothing of a tenant's is free to be had any number of times. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Fault } from '#engine/value/fault.ts'
import { Member, User } from '#http/identity/entity.ts'
import type { Identity } from '#http/identity/index.ts'
import { newUser } from '#http/identity/session/login.ts'
import { checkFounding } from '#http/identity/organization/organization.ts'
import { userVouchedFor } from '#http/identity/provider/person.ts'
import type { SignUp } from '#http/identity/session/sign-up.ts'
import { pruneThrottles } from '#http/identity/session/throttle.ts'
import { asService } from '#http/store/tenant.ts'
import { signUpBy } from '#config/settings/settings-quota.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { address, ask, codeFor, founder, login, mailsTo, password, person } from '#test/harness/people.ts'
import { testProduct, until } from '#test/harness/product.ts'
import { directory } from '#test/harness/scim.ts'
import { google, issuer, refusal, signed, userOf } from '#test/http/identity/social-provider.ts'

describe('sign-up', () => {
  let identity: { -readonly [K in keyof Identity]: Identity[K] }
  before(async () => void (identity = (await testProduct()).product.get(tokens.identity)))
  afterEach(() => void (identity.signUp = 'open'))
  const signUp = async (email: string) => {
    const { status, body } = await ask('POST', '/auth/signup', { body: { email, password, name: 'Ana' } })
    return status === 201 ? body.data : [status, body.code]
  }
  const mailed = async (email: string, count = 1): Promise<string[]> => {
    await until(`mail ${count} to ${email}`, async () => (await mailsTo(email)).length >= count)
    return (await mailsTo(email)).map(({ subject }) => subject.replace(/\d{6}/, '######'))
  }
  const invitedOne = async (): Promise<string> => {
    const { accessToken: token } = await founder()
    const email = address()
    expect((await ask('POST', '/members', { token, body: { email, roleID: 'viewer' } })).status).to.equal(201)
    return email
  }

  it('is open on this machine, and by invitation where others reach it, unless the operator says [G-125]', () => {
    const cases: [host: string, publicUrl: string | undefined, signUp: SignUp | undefined, found: SignUp][] = [
      ['127.0.0.1', undefined, undefined, 'open'],
      ['localhost', 'http://localhost:8080', undefined, 'open'],
      ['::1', 'http://[::1]:8080', undefined, 'open'],
      ['127.0.0.1', 'https://tidemark.example.com', undefined, 'invited'],
      ['0.0.0.0', undefined, undefined, 'invited'],
      ['0.0.0.0', 'http://127.0.0.1:8080', undefined, 'invited'],
      ['127.0.0.1.example.com', undefined, undefined, 'invited'],
      ['0.0.0.0', undefined, 'open', 'open'],
      ['127.0.0.1', undefined, 'closed', 'closed'],
    ]
    for (const [host, publicUrl, said, found] of cases)
      expect(signUpBy({ host, publicUrl, signUp: said }), `${host} ${publicUrl}`).to.equal(found)
  })

  it('by invitation makes no account of a stranger, who is told by mail alone: the answer is that of everybody [G-125]', async () => {
    identity.signUp = 'invited'
    const [stranger, email] = [address(), await invitedOne()]
    expect(await signUp(stranger)).to.deep.equal({ email: stranger, verificationRequired: true })
    expect(await signUp(email)).to.deep.equal({ email, verificationRequired: true })
    expect(await mailed(stranger)).to.deep.equal(['Tidemark accounts are by invitation here'])
    expect(await mailed(email, 2)).to.deep.equal([
      'You have been invited to “Acme” on Tidemark',
      '###### is your Tidemark code',
    ])
    expect(await userOf(stranger)).to.equal(null)
    const otp = await codeFor(email, 2)
    expect((await ask('PATCH', '/auth/email/otp/validate', { body: { email, otp } })).status).to.equal(200)
    expect((await login(email)).tenants.map(({ name }) => name)).to.deep.equal(['Acme'])
    const again = await ask('POST', '/auth/email/verify', { body: { email: stranger } })
    expect(again.status).to.equal(202)
    expect((await ask('GET', '/auth/browser/methods')).body.data.signUp).to.equal('invited')
  })

  it('by invitation confirms no address that was signed up with before, nor one whose invitation was withdrawn [G-125]', async () => {
    const email = address()
    await signUp(email)
    expect(await mailed(email)).to.have.length(1)
    identity.signUp = 'invited'
    await ask('POST', '/auth/email/verify', { body: { email } })
    await signUp(email)
    expect(await mailed(email, 2)).to.deep.equal([
      '###### is your Tidemark code',
      'Tidemark accounts are by invitation here',
    ])
    const { accessToken: token } = await founder()
    const { userID } = (await ask('POST', '/members', { token, body: { email, roleID: 'viewer' } })).body.data
    expect((await ask('DELETE', `/members/${userID}`, { token })).status).to.equal(204)
    await signUp(email)
    expect((await mailed(email, 4)).slice(2)).to.deep.equal([
      'You have been invited to “Acme” on Tidemark',
      'Tidemark accounts are by invitation here',
    ])
  })

  it('by invitation lets in by Google who is invited or has an account, and no stranger [G-125]', async () => {
    const [{ social, claims, pair }, known, invited] = [await issuer(), await person(), await invitedOne()]
    identity.signUp = 'invited'
    const by = async (email: string) => refusal(social, google(await signed(claims(email), pair)))
    const stranger = address()
    expect(await by(stranger)).to.equal('forbidden sign_up_closed')
    expect(await userOf(stranger)).to.equal(null)
    expect([await by(known.email), await by(invited)]).to.deep.equal(['let in', 'let in'])
  })

  it('that is closed makes no account of anybody, invited or not, and leaves those alone who have one [G-125]', async () => {
    const [{ social, claims, pair }, known, invited] = [await issuer(), await person(), await invitedOne()]
    identity.signUp = 'closed'
    for (const email of [address(), invited, known.email])
      expect(await signUp(email), 'the same for all').to.deep.equal([403, 'sign_up_closed'])
    await ask('POST', '/auth/email/verify', { body: { email: invited } })
    const by = async (email: string) => refusal(social, google(await signed(claims(email), pair)))
    expect([await by(address()), await by(invited)]).to.deep.equal(Array(2).fill('forbidden sign_up_closed'))
    expect(await by(known.email)).to.equal('let in')
    expect((await login(known.email)).email).to.equal(known.email)
    expect(await mailed(invited)).to.deep.equal(['You have been invited to “Acme” on Tidemark'])
  })

  it('that is closed keeps providers and directories of organizations from making people, but not those they named before [G-125]', async () => {
    const own = await directory()
    const { domain, owner } = own
    const vouched = (name: string) =>
      asService(() =>
        userVouchedFor(
          identity,
          { orgId: owner.orgId, issuer: `saml:${owner.orgId}`, subject: name, email: `${name}@${domain}`, name },
          (why) => new Error(why),
        ),
      ).then(
        ({ email }) => email,
        ({ message }: Error) => message,
      )
    const provision = async (name: string) =>
      (await own.send('POST', '/Users', { userName: `${name}@${domain}`, emails: [{ value: `${name}@${domain}` }] }))
        .status
    identity.signUp = 'invited'
    expect([await vouched('ana'), await provision('cyd')]).to.deep.equal([`ana@${domain}`, 201])
    identity.signUp = 'closed'
    expect([await vouched('ana'), await vouched('ben'), await vouched('cyd')]).to.deep.equal([
      `ana@${domain}`,
      'no new people',
      'no new people',
    ])
    expect([await provision('dan'), await userOf(`dan@${domain}`)]).to.deep.equal([403, null])
  })
})

describe('organizations', () => {
  let identity: Identity
  before(async () => void (identity = (await testProduct()).product.get(tokens.identity)))
  const noon = Date.parse('2026-06-01T12:00:00Z')
  const someone = (isConfirmed = true) =>
    asService(async () => {
      const em = identity.em()
      const user = newUser(em, address(), 'Eve', new Date(noon))
      if (isConfirmed) user.emailVerifiedAt = new Date(noon)
      await em.flush()
      return user.id
    })
  /** What is answered to one more, which is counted where it is let. */
  const found = (userId: string, ip: string, limits: { owned: number; perDay: number }, at = noon) =>
    asService(() => identity.em().transactional((em) => checkFounding(em, limits, { userId, ip }, new Date(at)))).then(
      () => 'made',
      ({ code, detail }: Fault) => [code, detail['retryAfter']].filter(Boolean).join(' '),
    )
  const ipv6 = () => `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}`

  it('are three that a person owns, and no more by any session of theirs [G-125]', async () => {
    const who = await person()
    const made = async (name: string) => {
      const { status, body } = await ask('POST', '/organisations', { token: who.accessToken, body: { name } })
      return `${status} ${body.code ?? ''}`.trim()
    }
    const four = await Promise.all(['A', 'B', 'C', 'D'].map(made))
    expect(four.toSorted()).to.deep.equal(['201', '201', '201', '422 organization_limit'])
    expect(await made('E')).to.equal('422 organization_limit')
    const { accessToken: token } = await login(who.email)
    const again = await ask('POST', '/organisations', { token, body: { name: 'F' } })
    expect(again.body.detail).to.equal('You own 3 organizations. The limit for creating another is 3.')
  })

  it('are ten a day of a person, though they leave those they made [G-125]', async () => {
    const eve = await someone()
    const answers: string[] = []
    for (let nth = 0; nth < 12; nth++)
      answers.push(await found(eve, `${ipv6()}::1`, { owned: 3, perDay: 10 }, noon + nth * 1000))
    expect(answers).to.deep.equal([
      ...Array(10).fill('made'),
      'too_many_organizations 86390',
      'too_many_organizations 86389',
    ])
    expect(await found(eve, `${ipv6()}::1`, { owned: 3, perDay: 10 }, noon + 24 * 3_600_000)).to.equal('made')
  })

  it('are ten a day of a block of addresses, whoever asks from it [G-125]', async () => {
    const block = ipv6()
    const limits = { owned: 3, perDay: 10 }
    const people = await Promise.all(Array.from({ length: 137 }, () => someone()))
    const answers = await Promise.all(people.slice(0, 12).map((who, nth) => found(who, `${block}::${nth + 1}`, limits)))
    expect(answers.filter((answer) => answer === 'made')).to.have.length(10)
    for (const who of people.slice(12))
      expect(await found(who, `${block}::1`, limits)).to.equal('too_many_organizations 86400')
    expect(await found(people[12]!, `${ipv6()}::1`, limits), 'another block').to.equal('made')
    await asService(() => pruneThrottles(identity.em(), new Date(noon + 3 * 3_600_000)))
    expect(await found(people[13]!, `${block}::1`, limits, noon + 3 * 3_600_000)).to.equal(
      'too_many_organizations 75600',
    )
  })

  it('are of people with a confirmed address, and any number where a limit is 0 [G-125]', async () => {
    expect(await found(await someone(false), '203.0.113.1', { owned: 0, perDay: 0 })).to.equal('email_not_verified')
    const eve = await someone()
    await asService(async () => {
      const em = identity.em()
      for (let nth = 0; nth < 4; nth++)
        em.persist(
          em.create(Member, {
            orgId: randomUUID(),
            userId: eve,
            roleId: 'owner',
            status: 'active',
            createdAt: new Date(noon),
          }),
        )
      await em.flush()
      expect(await em.count(User, { id: eve })).to.equal(1)
    })
    expect(await found(eve, '203.0.113.1', { owned: 4, perDay: 0 })).to.equal('organization_limit')
    for (let nth = 0; nth < 12; nth++) expect(await found(eve, '203.0.113.1', { owned: 0, perDay: 0 })).to.equal('made')
  })
})
