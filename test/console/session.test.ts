import { expect } from 'chai'
import type * as Api from '#http/console/web/api.ts'
import type * as Begin from '#http/console/web/start-session.ts'
import type * as Session from '#http/console/web/session.ts'
import '#test/console/tsx.ts'
import { fakePage, type FakeApi, type FakePage, type FakeReply } from '#test/console/fake-page.ts'

const site = 'https://tidemark.example/console/'
const ana = 'ana@example.com'
const notBegun = 'This sign-in was not started in this window, so you were not signed in. Start it here.'

/** What a session of Ana begins with, in an organization; of two she may choose. */
const signedIn = (orgID = 'org-1', more: { email?: string; expiresIn?: number; accessToken?: string } = {}) => {
  const { email = ana, expiresIn = 900, accessToken = 'eyJ.access' } = more
  const tenants = [
    { id: 'org-1', name: 'One' },
    { id: 'org-2', name: 'Two' },
  ]
  return { body: { data: { accessToken, expiresIn, orgID, user: { email }, tenants } } }
}

const me: FakeReply = { body: { data: { isAdmin: false, permissions: ['service.view'], role: 'viewer' } } }
const refusal = (status: number, members: object): FakeReply => ({ status, body: members })
const noSession = refusal(401, { code: 'unauthenticated', detail: 'There is no session.' })

/** An API that knows some operations; the others it does not have. */
const knows =
  (replies: Readonly<Record<string, FakeReply | ((body: any) => FakeReply)>>): FakeApi =>
  ({ operation, body }) => {
    const reply = replies[operation] ?? refusal(404, { code: 'not_found' })
    return typeof reply === 'function' ? reply(body) : reply
  }

/** The text of what a component returns, without drawing it. */
const textOf = (node: any): string => {
  if (Array.isArray(node)) return node.map(textOf).join('')
  if (typeof node === 'object') return node === null ? '' : textOf(node.props.children)
  return typeof node === 'boolean' || node === undefined ? '' : String(node)
}

describe('the session of a page of the console', () => {
  let page: FakePage
  let begin: typeof Begin
  let session: typeof Session
  let api: typeof Api

  before(async () => {
    page = fakePage(site)
    const place = await import('#http/console/web/router.ts')
    begin = await import('#http/console/web/start-session.ts')
    session = await import('#http/console/web/session.ts')
    api = await import('#http/console/web/api.ts')
    place.watchLinks()
    session.watchOthers()
  })
  after(() => page.close())
  afterEach(async () => {
    page.api = knows({ 'POST /auth/browser/logout': { body: {} } })
    await session.signOut()
    session.signInProblem.value = undefined
    session.challenge.value = ''
    page.sessionStorage.clear()
    page.localStorage.clear()
  })

  const operations = () => page.requests.map(({ operation }) => operation)
  const shown = () => page.history.at(-1)
  /** Loads the page where the API answers so, and waits until it is known who is signed in. */
  const loaded = async (at: string, replies: Parameters<typeof knows>[0]) => {
    page.api = knows({ 'GET /auth/me': me, ...replies })
    page.open(`${site}${at}`)
    await begin.begin()
  }

  it('removes the token of a link from the address and the history before it sends anything', async () => {
    await loaded('costs?range=7d&code=kept#token=secret', { 'POST /auth/browser/link': signedIn() })
    expect(page.requests.slice(0, 1).map(({ operation, body, from }) => ({ operation, body, from }))).to.deep.equal([
      { operation: 'POST /auth/browser/link', body: { token: 'secret' }, from: `${site}costs?range=7d&code=kept` },
    ])
    expect(page.history).to.deep.equal([`${site}costs?range=7d&code=kept`])
    expect(session.session.value?.user.email).to.equal(ana)
  })

  it('reports why a link did not sign in, and does not sign out a person who already is', async () => {
    const used = refusal(401, { code: 'invalid_link', detail: 'The link was used.' })
    await loaded('#token=used', { 'POST /auth/browser/link': used })
    expect([session.session.value, session.signInProblem.value?.message]).to.deep.equal([null, 'The link was used.'])
    expect(operations()).to.deep.equal(['POST /auth/browser/link'])

    page.localStorage.setItem('signed-in', '1')
    await loaded('budgets#token=used', { 'POST /auth/browser/link': used, 'POST /auth/browser/refresh': signedIn() })
    expect([session.session.value?.user.email, session.signInProblem.value]).to.deep.equal([ana, undefined])
    expect(shown()).to.equal(`${site}budgets`)
  })

  it('keeps its tokens out of every storage that scripts can read', async () => {
    await loaded('#token=secret', { 'POST /auth/browser/link': signedIn() })
    expect(page.localStorage.all()).to.deep.equal({ 'signed-in': '1' })
    expect(page.sessionStorage.all()).to.deep.equal({ organization: '["ana@example.com","org-1"]' })
  })

  it('sends no request if nobody was signed in', async () => {
    await loaded('costs', {})
    expect([session.session.value, operations()]).to.deep.equal([null, []])
  })

  describe('started at a provider', () => {
    const back = `${site}costs?range=7d`
    const login = 'POST /auth/browser/login'
    const logins = () => page.requests.filter(({ operation }) => operation === login).map(({ body }) => body)

    it('sends the nonce (Google) or the code verifier (GitHub) of the sign-in that this page started', async () => {
      begin.beginOutside({ provider: 'google', state: 's-1', nonce: 'n-1', back })
      await loaded('#id_token=eyJ.identity&state=s-1', { [login]: signedIn() })
      expect(logins()).to.deep.equal([{ provider: 'google', token: 'eyJ.identity', nonce: 'n-1' }])
      expect(page.requests[0]!.from).to.equal(back)
      expect([page.history, session.session.value?.user.email]).to.deep.equal([[back], ana])
      expect(page.sessionStorage.getItem('signing-in')).to.equal(null)

      begin.beginOutside({ provider: 'github', state: 's-2', verifier: 'v-2', back })
      await loaded('?code=good&state=s-2', { [login]: signedIn() })
      expect(logins()).to.deep.equal([{ provider: 'github', token: 'good', redirectURI: site, codeVerifier: 'v-2' }])
      expect(page.history).to.deep.equal([back])
    })

    it('is refused with a wrong state, without a state, a second time, and if this window started none', async () => {
      for (const state of ['another', '']) {
        begin.beginOutside({ provider: 'google', state: 's-1', nonce: 'n-1', back })
        await loaded(`#id_token=eyJ.theirs&state=${state}`, { [login]: signedIn() })
        expect([logins(), session.signInProblem.value?.message, shown()]).to.deep.equal([[], notBegun, site])
        // Used up: the right state comes too late.
        await loaded('#id_token=eyJ.theirs&state=s-1', { [login]: signedIn() })
        expect([logins(), session.signInProblem.value?.message]).to.deep.equal([[], notBegun])
      }
      for (const answer of ['#id_token=eyJ.theirs', '#id_token=eyJ.theirs&state=', '?code=theirs&state=s', '?code=t']) {
        await loaded(answer, { [login]: signedIn() })
        expect([logins(), session.signInProblem.value?.message, shown()], answer).to.deep.equal([[], notBegun, site])
      }
      begin.beginOutside({ provider: 'github', state: '', verifier: 'v', back })
      await loaded('?code=theirs&state=', { [login]: signedIn() })
      expect([logins(), session.signInProblem.value?.message]).to.deep.equal([[], notBegun])
    })

    it('does not replace a person who is signed in when somebody else’s code is put into their address', async () => {
      page.localStorage.setItem('signed-in', '1')
      await loaded('?code=theirs&state=s', { [login]: signedIn(), 'POST /auth/browser/refresh': signedIn() })
      expect([logins(), session.session.value?.user.email, shown()]).to.deep.equal([[], ana, site])
    })

    it('reports the provider’s error by its code only, and returns to the page where the person was', async () => {
      for (const [provider, answer, message] of [
        [
          'google',
          '#error=access_denied',
          'The identity provider did not sign you in (error: access_denied). Try again, or sign in another way.',
        ],
        [
          'github',
          '?error=%3Cb%3Enow',
          'The identity provider did not sign you in. Try again, or sign in another way.',
        ],
        [
          'oidc',
          '?error=email_not_verified',
          'The identity provider has not verified your email address. You were not signed in.',
        ],
        [
          'oidc',
          '?error=toString',
          'The identity provider did not sign you in (error: toString). Try again, or sign in another way.',
        ],
      ] as const) {
        begin.beginOutside({ provider, state: 's', back })
        await loaded(`${answer}&state=s`, { [login]: signedIn() })
        expect([logins(), session.signInProblem.value?.message, shown()]).to.deep.equal([[], message, back])
      }
    })

    it('waits for a required second factor, and signs nobody in until then', async () => {
      begin.beginOutside({ provider: 'google', state: 's-1', nonce: 'n-1', back })
      page.localStorage.setItem('signed-in', '1')
      const half = refusal(403, { code: 'mfa_required', challenge: 'c-1', detail: 'A second factor is required.' })
      await loaded('#id_token=eyJ.identity&state=s-1', { [login]: half, 'POST /auth/browser/refresh': signedIn() })
      expect([session.challenge.value, session.signInProblem.value, session.session.value]).to.deep.equal([
        'c-1',
        undefined,
        null,
      ])
      expect(operations()).to.deep.equal([login])
    })
  })

  describe('that is open', () => {
    const refresh = 'POST /auth/browser/refresh'
    const renewals = () => operations().filter((one) => one === refresh).length
    /** Ana's page, whose access token is good for so many seconds. */
    const opened = async (expiresIn = 900) => {
      page.localStorage.setItem('signed-in', '1')
      await loaded('costs', { [refresh]: signedIn('org-1', { expiresIn }) })
      page.requests = []
    }

    it('renews its access token a minute before it expires, once for any number of requests', async () => {
      await opened()
      expect([await session.isFresh(), renewals()]).to.deep.equal([true, 0])
      await opened(60)
      page.api = knows({ 'GET /auth/me': me, [refresh]: signedIn(), 'GET /teams': { body: { data: [] } } })
      await Promise.all([api.ask('GET /teams'), api.ask('GET /teams'), api.ask('GET /teams')])
      expect(renewals()).to.equal(1)
      expect(operations().filter((one) => one === 'GET /teams')).to.have.length(3)
    })

    it('renews an access token that was refused, and requests again with the new one', async () => {
      await opened()
      page.api = ({ operation, headers }) => {
        if (operation === 'GET /auth/me') return me
        if (operation === refresh) return signedIn('org-1', { accessToken: 'eyJ.next' })
        return headers.get('Authorization') === 'Bearer eyJ.next' ? { body: { data: ['Core'] } } : noSession
      }
      expect((await api.ask('GET /teams')).data).to.deep.equal(['Core'])
      expect(operations()).to.deep.equal(['GET /teams', refresh, 'GET /auth/me', 'GET /teams'])
    })

    it('stays in the organization of its page, even if another page has switched the session to another one', async () => {
      await opened()
      const to = (body: { tenantID?: string }) => signedIn(body.tenantID ?? 'org-2')
      page.api = knows({ 'GET /auth/me': me, [refresh]: to })
      expect(await session.renew()).to.equal(true)
      expect(page.requests.filter(({ operation }) => operation === refresh).map(({ body }) => body)).to.deep.equal([
        {},
        { tenantID: 'org-1' },
      ])
      expect(session.session.value?.orgID).to.equal('org-1')
      // Of another person the page keeps nothing.
      page.api = knows({ 'GET /auth/me': me, [refresh]: signedIn('org-2', { email: 'bob@example.com' }) })
      await session.renew()
      expect([session.session.value?.user.email, session.session.value?.orgID]).to.deep.equal([
        'bob@example.com',
        'org-2',
      ])
    })

    it('keeps the page when it expires, and continues when the same person signs in in another tab', async () => {
      await opened()
      page.api = knows({ [refresh]: noSession, 'POST /teams': noSession })
      const refused = await api.ask('POST /teams', { body: { name: 'Core' } }).catch((error: unknown) => error)
      expect((refused as { status: number }).status).to.equal(401)
      expect([session.isOver.value, session.session.value?.user.email]).to.deep.equal([true, ana])
      expect(page.localStorage.all()).to.deep.equal({ 'signed-in': 'ended' })
      // Nothing more is sent meanwhile: it would be refused.
      page.requests = []
      await api.ask('GET /teams').catch(() => undefined)
      expect(operations()).to.deep.equal([])

      page.api = knows({ 'GET /auth/me': me, [refresh]: signedIn() })
      page.changeElsewhere('signed-in', '1')
      await session.renew()
      expect([session.isOver.value, renewals()]).to.deep.equal([false, 1])
    })

    it('does not send what one person started after another person has signed in', async () => {
      await opened()
      let posted = 0
      page.api = knows({
        'GET /auth/me': me,
        [refresh]: signedIn('org-1', { email: 'bob@example.com', accessToken: 'eyJ.of-bob' }),
        'POST /teams': () => {
          posted++
          return noSession
        },
      })
      await api.ask('POST /teams', { body: { name: 'Of Ana alone' } }).catch(() => undefined)
      expect(posted).to.equal(1)
      expect(page.requests.find(({ operation }) => operation === 'POST /teams')!.headers.get('Authorization')).to.equal(
        'Bearer eyJ.access',
      )
      expect([session.session.value?.user.email, session.isOver.value]).to.deep.equal(['bob@example.com', false])
    })

    it('offers the next step to those who have a right to it, and names the right to others', async () => {
      await opened()
      const { Next } = await import('#http/console/web/part/next-step.tsx')
      const said = (needs: readonly string[]) => textOf(Next({ needs, what: 'Creating one', children: 'Create one.' }))
      expect(said(['space.create', 'service.view'])).to.equal('Create one.')
      expect(said(['space.create', 'space.update'])).to.equal(
        'Creating one requires the permission space.create or space.update, which your role does not have. ' +
          'Ask an administrator of your organization to do it or to grant you the permission.',
      )
    })

    it('ends in all pages of the browser on sign-out', async () => {
      await opened()
      page.changeElsewhere('signed-in', null)
      expect([session.session.value, session.isOver.value, session.bearer()]).to.deep.equal([null, false, ''])
    })

    it('is dropped by its page even if the sign-out does not reach the service, and the page says so', async () => {
      await opened()
      page.api = () => {
        throw new TypeError('Failed to fetch')
      }
      await session.signOut()
      expect([session.session.value, session.bearer(), page.localStorage.all()]).to.deep.equal([null, '', {}])
      expect(session.signInProblem.value?.message).to.match(/^Cannot reach Tidemark\. You are signed out of this page/)
    })

    it('resends a change whose answer was lost with the same key, so that it takes effect once', async () => {
      await opened()
      const keys: (string | null)[] = []
      page.api = ({ headers }) => {
        keys.push(headers.get('Idempotency-Key'))
        if (keys.length === 1) throw new TypeError('Failed to fetch')
        return { body: { data: { id: 't-1' } } }
      }
      expect((await api.ask('POST /teams', { body: { name: 'Core' } })).data).to.deep.equal({ id: 't-1' })
      expect(keys).to.have.length(2)
      expect(keys[0]).to.match(/^[0-9a-f]{32}$/)
      expect(keys[1]).to.equal(keys[0])
    })

    describe('while the service does not answer', () => {
      let pauses: number[]
      let waitAgain: () => void
      beforeEach(async () => {
        await opened()
        pauses = []
        waitAgain = page.skipPauses(pauses)
      })
      afterEach(() => waitAgain())

      /** Answers one request after the other; the last answer is repeated. What the page showed of waiting at each. */
      const answering = (...replies: FakeReply[]) => {
        const waiting: string[] = []
        page.api = () => replies[Math.min(waiting.push(api.waitReason.value), replies.length) - 1]!
        return waiting
      }
      const statusOf = (asked: Promise<unknown>) =>
        asked.then(
          () => 200,
          ({ status }: { status: number }) => status,
        )
      const good = { body: { data: ['Core'] } }

      it('requests again after ever longer pauses, and shows that it waits', async () => {
        const waiting = answering(refusal(502, {}), refusal(503, {}), refusal(504, {}), good)
        expect((await api.ask('GET /teams')).data).to.deep.equal(['Core'])
        expect(pauses).to.deep.equal([300, 700, 1500])
        expect([...waiting, api.waitReason.value]).to.deep.equal(['', 'unreachable', 'unreachable', 'unreachable', ''])
      })

      it('gives up after ten repeats', async () => {
        const waiting = answering(refusal(503, {}))
        expect(await statusOf(api.ask('GET /teams'))).to.equal(503)
        expect(waiting).to.have.length(11)
        expect(api.waitReason.value).to.equal('')
      })

      it('waits as long as a limit of requests says, but a minute at most', async () => {
        const limited = (seconds: string) => ({ ...refusal(429, {}), headers: { 'Retry-After': seconds } })
        const waiting = answering(limited('5'), limited('600'), refusal(429, {}), good)
        expect((await api.ask('GET /teams')).data).to.deep.equal(['Core'])
        expect(pauses).to.deep.equal([5000, 60_000, 1000])
        expect(waiting).to.deep.equal(['', 'limited', 'limited', 'limited'])
      })

      it('does not repeat a change that has no key, nor what was answered', async () => {
        const away = answering(refusal(503, {}))
        expect(await statusOf(api.ask('PATCH /teams/:teamID', { params: { teamID: 't-1' }, body: {} }))).to.equal(503)
        expect(away).to.have.length(1)
        const broken = answering(refusal(500, {}))
        expect(await statusOf(api.ask('GET /teams'))).to.equal(500)
        expect(broken).to.have.length(1)
        expect(pauses).to.deep.equal([])
      })
    })
  })
})
