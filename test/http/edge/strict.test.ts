import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { routes } from '#http/index.ts'
import { readConfig } from '#http/catalog/config.ts'
import type { Keywords } from '#http/edge/request/keywords.ts'
import { bodyInput, closeSchema, textInput } from '#http/edge/request/decode.ts'
import { nearest } from '#http/edge/request/nearest.ts'
import type { InputError } from '#http/edge/problem.ts'
import { repeatedParam } from '#http/edge/parameter/paging.ts'
import { route, takesBody, type Route } from '#http/edge/route.ts'
import { strangers } from '#http/edge/request/unknown-field.ts'
import { sample } from '#test/harness/tier.ts'
import { caller, problem, scopeOf, served } from '#test/http/serving.ts'

const open = { permission: 'service.view', summary: 'a test', reply: t.Unknown() } as const
const providers = ['aws', 'gcp', 'azure'] as const

const things = route({
  ...open,
  method: 'GET',
  path: '/things',
  query: t.Object({
    provider: t.Optional(t.Array(t.Enum(providers))),
    cloud_account_id: t.Optional(t.String()),
    limit: t.Integer({ minimum: 1, default: 20 }),
    'filter[region]': t.Optional(repeatedParam(t.String())),
    facts: t.Optional(
      t.Record(t.String(), t.Array(t.String({ maxLength: 10 })), { keyed: 'specs.', maxProperties: 2 }),
    ),
  }),
  handle: async ({ query }) => query,
})
const toys: Route[] = [
  things,
  route({ ...open, method: 'GET', path: '/plain', handle: async () => 'here' }),
  route({ ...open, method: 'POST', path: '/pressed', handle: async () => 'pressed' }),
  route({
    ...open,
    method: 'POST',
    path: '/things',
    body: t.Object({
      name: t.String(),
      scope: t.Optional(t.Union([t.Object({ providers: t.Optional(t.Array(t.Enum(providers))) }), t.Null()])),
      rules: t.Optional(t.Array(t.Object({ action: t.String() }))),
      tags: t.Optional(t.Record(t.String(), t.String())),
    }),
    handle: async () => 'taken',
  }),
  route({
    ...open,
    method: 'PUT',
    path: '/lenient',
    query: t.Object({}, { additionalProperties: true }),
    body: t.Object({ code: t.String() }, { additionalProperties: true }),
    handle: async ({ query, body }) => ({ query, code: body.code }),
  }),
]

describe('http names that are not known', () => {
  const site = served(toys)
  const refused = async (answer: Promise<Response>) => {
    const { status, code, errors } = await problem(await answer)
    return [status, code, ...errors.map((e: any) => `${e.in} ${e.name} ${e.code}: ${e.message}`)]
  }

  it('are refused in queries, each with the nearest that is known [G-114]', async () => {
    expect(await refused(site.get('/things?providr=aws&cloudAccountID=a&filter[regoin]=us'))).to.deep.equal([
      400,
      'invalid_parameter',
      'query providr unknown_parameter: is not a known parameter; did you mean provider?',
      'query cloudAccountID unknown_parameter: is not a known parameter; did you mean cloud_account_id?',
      'query filter[regoin] unknown_parameter: is not a known parameter; did you mean filter[region]?',
    ])
  })
  it('are refused beside values that are wrong, all of them named', async () => {
    expect(await refused(site.get('/things?providr=aws&limit=x'))).to.deep.equal([
      400,
      'invalid_parameter',
      'query providr unknown_parameter: is not a known parameter; did you mean provider?',
      'query limit type: must be integer',
    ])
  })
  it('are refused where a path takes no parameters at all', async () => {
    expect(await refused(site.get('/plain?x=1'))).to.deep.equal([
      400,
      'invalid_parameter',
      'query x unknown_parameter: is not a known parameter: this path takes no parameters',
    ])
    expect(await (await site.get('/plain')).json()).to.deep.equal({ data: 'here' })
  })
  it('are refused twenty at most, however many a query holds', async () => {
    const many = Array.from({ length: 500 }, (_, i) => `x${i}=1`).join('&')
    expect(await refused(site.get(`/things?${many}`))).to.have.length(22)
  })
  it('are told from keys of the own choice, which are read as they stand', async () => {
    const answer = await site.get('/things?facts[specs.attached]=false&facts[specs.a.b]=1&facts[specs.a.b]=2,3')
    expect((await answer.json()) as object).to.deep.equal({
      data: { limit: 20, facts: { 'specs.attached': ['false'], 'specs.a.b': ['1', '2,3'] } },
    })
    expect((await refused(site.get('/things?facts[spec.attached]=false')))[2]).to.match(
      /did you mean facts\[specs.NAME\]\?$/,
    )
    for (const name of ['facts', 'facts[specs.]', 'facts[specs.a', 'facts[specs.a]x']) {
      expect((await refused(site.get(`/things?${name}=1`)))[1], name).to.equal('invalid_parameter')
    }
    expect((await refused(site.get('/things?facts[specs.a]=%00')))[2]).to.match(/^query facts\[specs.a\] text/)
    expect((await refused(site.get('/things?facts[specs.a]=12345678901')))[1]).to.equal('validation_failed')
    expect((await refused(site.get('/things?facts[specs.a]=1&facts[specs.b]=1&facts[specs.c]=1')))[1]).to.equal(
      'validation_failed',
    )
  })
  it('are refused in bodies at any depth, by JSON pointer, each with the nearest that is known [G-114]', async () => {
    const body = { name: 'a', nmae: 'b', scope: { provider: [] }, rules: [{ action: 'x' }, { action: 'x', acton: 1 }] }
    expect(await refused(site.send('POST', '/things', body))).to.deep.equal([
      400,
      'invalid_parameter',
      'body /nmae additionalProperties: is not a known field; did you mean name?',
      'body /scope/provider additionalProperties: is not a known field; did you mean providers?',
      'body /rules/1/acton additionalProperties: is not a known field; did you mean action?',
      'body /scope type: must be null',
      'body /scope anyOf: must match a schema in anyOf',
    ])
    expect((await site.send('POST', '/things', { name: 'a', tags: { anything: 'x' } })).status).to.equal(200)
  })
  it('are refused in the body of what takes none; no body and an empty one are taken', async () => {
    expect(await refused(site.send('POST', '/pressed', { force: true }))).to.deep.equal([
      400,
      'invalid_parameter',
      'body /force additionalProperties: is not a known field: this path takes no parameters',
    ])
    expect((await site.send('POST', '/pressed')).status).to.equal(200)
    expect((await site.send('POST', '/pressed', {})).status).to.equal(200)
  })
  it('are passed over where a route says so', async () => {
    const answer = await site.send('PUT', '/lenient?iss=x&session_state=y', { code: 'c', state: 'z' })
    expect(await answer.json()).to.deep.equal({ data: { query: {}, code: 'c' } })
  })
  it('of closed sets of values are refused with the nearest one, in queries and in bodies', async () => {
    expect(await refused(site.get('/things?provider=aws,asw'))).to.deep.equal([
      400,
      'validation_failed',
      'query provider enum: must be one of aws, gcp, azure; did you mean aws?',
    ])
    expect(await refused(site.send('POST', '/things', { name: 'a', scope: { providers: ['azur'] } }))).to.include(
      'body /scope/providers/0 enum: must be one of aws, gcp, azure; did you mean azure?',
    )
  })
  it('are compared without case and separators', () => {
    const known = ['from', 'to', 'team_id', 'cloud_account_id']
    expect(['TeamID', 'teamId', 'cloudaccount', 'form'].map((name) => nearest(name, known))).to.deep.equal([
      'team_id',
      'team_id',
      'cloud_account_id',
      'from',
    ])
    expect(nearest('x', [])).to.equal(undefined)
  })
  it('of maps with a rule for their names are not taken for members', () => {
    const headers = t.Record(t.String({ pattern: '^x-' }), t.String(), { additionalProperties: false })
    const schema = closeSchema(t.Object({ headers }) as Keywords)
    expect(strangers(schema, { headers: { 'x-a': '1' } })).to.deep.equal([])
  })
})

describe('http names that are not known, in every route of ours', () => {
  const asked = (r: Route) => `${r.path.replaceAll(/:\w+/g, 'x')}?providr=aws`
  const stray = { in: 'query', name: 'providr', code: 'unknown_parameter' }
  /** What the decoder of the route says of it. */
  function refusal({ method, path, query }: Route): Fault {
    try {
      textInput(query ?? t.Object({}), 'query')({ providr: 'aws' })
    } catch (error) {
      if (error instanceof Fault) return error
      throw error
    }
    throw new Error(`${method} ${path} takes it`)
  }
  // Whoever stands between may add to these.
  const added = ['/auth/saml/acs', '/auth/oidc/:orgID/callback']
  const lenient = [...added, ...routes.filter((r) => r.raw || r.permission === 'scim').map(({ path }) => path)]
  const kinds = { session: 'session', internal: 'internal' } as const
  const strict = routes.filter(({ path }) => !lenient.includes(path))
  for (const kind of ['pat', 'session', 'internal'] as const) {
    describe(`called by ${kind}`, () => {
      const of = (r: Route) => kinds[r.permission as keyof typeof kinds] ?? 'pat'
      const own = strict.filter((r) => of(r) === kind)
      const some = sample(own, 15)
      const site = served(some, scopeOf({}, { ...caller(), kind }))

      it('are refused before anything is done [G-114]', async () => {
        expect(own.length).to.be.above(0)
        for (const r of own) {
          const fault = refusal(r)
          expect([fault.code, fault.kind], `${r.method} ${r.path}`).to.deep.equal(['invalid_parameter', 'invalid'])
          expect((fault.detail['errors'] as InputError[])[0], r.path).to.include(stray)
          const takesProvider = r.query && 'provider' in r.query.properties
          if (takesProvider) expect(fault.message, r.path).to.contain('did you mean provider?')
        }
        for (const r of some) {
          const body = await problem(await site.send(r.method, asked(r)))
          expect([body['status'], body['code']], `${r.method} ${r.path}`).to.deep.equal([400, 'invalid_parameter'])
          expect(body['errors'][0], r.path).to.include(stray)
        }
      })
    })
  }
  describe('or by the name of something else', () => {
    const reports = routes.filter(({ path }) => path.startsWith('/reports/'))
    const site = served(reports, scopeOf())
    const detail = async (path: string) => (await problem(await site.get(path)))['detail']

    it('never answer with the total of everything [G-114]', async () => {
      const words = 'must be one of aws, gcp, azure, other; did you mean aws?'
      expect(await detail('/reports/teams?filter[provider]=asw')).to.equal(
        'query filter[provider]: is not a known parameter; did you mean provider?',
      )
      expect(await detail('/reports/summary?provider=asw')).to.equal(`query provider: ${words}`)
      expect(await detail('/reports/costs/breakdown?dims=region&filter[provider]=asw')).to.equal(
        `query filter[provider]: ${words}`,
      )
      expect(await detail('/reports/costs/breakdown?dims=region&filter[purchase_type]=ondemand')).to.contain(
        'did you mean on_demand?',
      )
    })
  })
  it('but where identity providers call back: they add what they like', async () => {
    const acs = routes.find(({ path }) => path === '/auth/saml/acs')!
    const added = { SAMLResponse: 'x', RelayState: 'y', SigAlg: 'z', iss: 'idp', session_state: '1' }
    expect(bodyInput(acs.body!)(added)).to.deep.equal(added)
    expect(textInput(acs.query!, 'query')({ iss: 'idp', error: 'access_denied' })).to.deep.equal({})
  })
  it('are refused in bodies, but where the specification has them ignored [BUD-12]', () => {
    const loose = routes.filter(
      (r) => takesBody(r) && closeSchema((r.body ?? t.Object({})) as Keywords).additionalProperties !== false,
    )
    // The check of a spec says what is wrong with whatever it is given.
    expect(loose.map((r) => `${r.method} ${r.path}`)).to.have.members([
      'POST /tagging/policies/validations',
      'PUT /budgets/:budgetID',
      'POST /auth/saml/acs',
      // Clients of OAuth send what other services take, as RFC 6749 and 7591 allow.
      'POST /oauth/register',
      'POST /oauth/token',
      // What directories say beside what is kept is passed over, as RFC 7644 allows.
      'POST /scim/v2/Users',
      'PUT /scim/v2/Users/:userID',
      'PATCH /scim/v2/Users/:userID',
      'POST /scim/v2/Groups',
      'PUT /scim/v2/Groups/:groupID',
      'PATCH /scim/v2/Groups/:groupID',
    ])
  })
})

describe('inputs of a wrong form', () => {
  const named = (name: string): Route => routes.find(({ method, path }) => `${method} ${path}` === name)!
  const said = (read: () => unknown): string[] => {
    try {
      return [String(read())]
    } catch (error) {
      return (Fault.from(error).detail['errors'] as InputError[]).map(({ name, message }) => `${name} ${message}`)
    }
  }

  it('are refused in words that say the form, not with a regular expression or the name of a format', () => {
    const guide = textInput(named('GET /cloud-accounts/guide/azure').query!, 'query')
    const run = bodyInput(named('POST /export-schedules/:exportScheduleID/run').body!)
    const rate = textInput(named('PUT /exchange-rates/:currency/:day').params!, 'path')
    expect([
      said(() => guide({ subscription: 'nope' })),
      said(() => run({ months: ['2026-13'] })),
      said(() => rate({ currency: 'EUR', day: '2026-02-30' })),
      said(() => readConfig('existing_datastore', { serverUID: 'db', secretARN: 'nope' })),
    ]).to.deep.equal([
      ['subscription must be a GUID, such as 11111111-2222-3333-4444-555555555555'],
      ['/months/0 must be a month in the form YYYY-MM, such as 2026-01'],
      ['day must be a day that exists, in the form YYYY-MM-DD, such as 2026-01-31'],
      [
        '/config/secretARN must be the ARN of a secret, such as arn:aws:secretsmanager:eu-central-1:123456789012:secret:orders-AbCdEf',
      ],
    ])
    expect(guide({ subscription: 'AAAAAAAA-bbbb-cccc-dddd-eeeeeeeeeeee' })).to.include({ write: false })
  })
})
