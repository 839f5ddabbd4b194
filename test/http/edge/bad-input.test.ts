import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { bodyInput, textInput } from '#http/edge/request/decode.ts'
import type { InputError } from '#http/edge/problem.ts'
import type { Route } from '#http/edge/route.ts'
import { routes } from '#http/index.ts'
import { deep } from '#test/fuzz/message.ts'
import { isTaken, memoryEdge, type MemoryAnswer } from '#test/harness/memory-edge.ts'
import {
  bodyPlaces,
  bodyRoutes,
  choices,
  idRoutes,
  isList,
  isMoment,
  isText,
  otherTypes,
  outOfBounds,
  parameters,
  withValue,
  type Bounded,
  type Parameter,
} from '#test/harness/route-input.ts'
import { amount, isDeep, sample } from '#test/harness/tier.ts'

const noQuery = t.Object({})

// That these answers come over HTTP and from the whole product: test/flows/bad-input.test.ts.
describe('bad input of every route, in memory', () => {
  const ask = memoryEdge()
  /** Status, code, and place and code of each error. */
  const outcome = ({ status, body }: MemoryAnswer): unknown[] => [
    status,
    body?.code,
    ...(body?.errors ?? []).map((e: any) => `${e.in} ${e.name} ${e.code}`),
  ]
  const isInvalid = ({ status, body }: MemoryAnswer) => status === 400 && body.code === 'validation_failed'
  const named = ({ in: where, name, code }: InputError) => `${where} ${name} ${code}`
  /** Place and code of each error that a decoder refuses an input with. */
  function refusals(decode: () => unknown): string[] {
    try {
      decode()
      return []
    } catch (error) {
      return ((error as Fault).detail['errors'] as InputError[]).map(named)
    }
  }
  /** Each is made once for all tests: to compile one takes longer than all that is asked of it. */
  const made = new Map<object, (input: never) => unknown>()
  const once = <D extends (input: never) => unknown>(schema: object, make: () => D): D => {
    const decode = (made.get(schema) as D | undefined) ?? make()
    made.set(schema, decode)
    return decode
  }
  /** The decoder of a query, which the edge reads the query of the route with. */
  const queryOf = ({ query = noQuery }: Route) => once(query, () => textInput(query, 'query'))
  const bodyOfRoute = (body: NonNullable<Route['body']>) => once(body, () => bodyInput(body))
  /** What the decoders refuse of each value of a parameter that is not refused, or not taken, as expected. */
  function wrong(list: readonly Parameter[], values: readonly string[], isRefused: boolean): string[] {
    return list.flatMap((parameter) => {
      const decode = queryOf(parameter.route)
      const name = decodeURIComponent(parameter.name)
      return values
        .filter((value) => {
          const errors = refusals(() => decode({ [name]: value })).filter((one) => one.startsWith(`query ${name} `))
          return errors.length > 0 !== isRefused
        })
        .map((value) => `${withValue(parameter, value).slice(0, 100)} ${isRefused ? 'is taken' : 'is refused'}`)
    })
  }
  /** In `npm test` one parameter of each name and schema: the same are read by the same code. */
  const different = (list: readonly Parameter[]): readonly Parameter[] =>
    isDeep ? list : [...new Map(list.map((one) => [one.name + JSON.stringify(one.schema), one])).values()]
  /** The requests that were answered otherwise than expected. */
  async function others(list: readonly Parameter[], values: readonly string[], isRight: (a: MemoryAnswer) => boolean) {
    const found: string[] = []
    for (const parameter of list) {
      for (const value of sample(values)) {
        const answer = await ask(parameter.route.method, withValue(parameter, value))
        if (!isRight(answer)) found.push(`${withValue(parameter, value).slice(0, 100)}: ${outcome(answer).join(' ')}`)
      }
    }
    return found
  }

  describe('in bodies', () => {
    it('is refused when it is too large, compressed, deep, no JSON, or reaches into prototypes [LIM-03]', async () => {
      expect(bodyRoutes.length).to.be.above(3)
      const bomb = gzipSync(Buffer.alloc(amount(2_000_000, 100_000_000, 100_000_000), 32))
      // One piece of code reads all bodies: some routes get every bad body, the others one of each kind.
      const large = new Set(sample(bodyRoutes, 3))
      for (const route of sample(bodyRoutes, 9)) {
        const { method, path } = route
        const at = path.replaceAll(/:\w+/g, 'acct-1')
        const some = <T>(list: readonly T[]) => (large.has(route) ? list : list.slice(0, 1))
        const refused = async (body: string | Buffer, headers = {}) => outcome(await ask(method, at, body, headers))
        if (large.has(route)) {
          expect(await refused('x'.repeat(1024 * 1024 + 1)), at).to.deep.equal([413, 'body_too_large'])
          const zipped = await refused(bomb, { 'content-encoding': 'gzip' })
          expect(zipped, at).to.deep.equal([415, 'unsupported_media_type'])
        }
        expect(await refused('{}', { 'content-type': 'text/csv' }), at).to.deep.equal([415, 'unsupported_media_type'])
        for (const open of large.has(route) ? ['[', '{"a":'] : []) {
          const [status, code, first] = await refused(deep(100_000, open))
          expect([status, code], at).to.deep.equal([400, 'validation_failed'])
          expect(first, at).to.match(/ depth$/)
        }
        for (const text of some(['{', '{"a":1,}', '{"a":NaN}', "{'a':1}", '\ufeff{}{}', '{"a":"\u0000"}'])) {
          expect(await refused(text), `${at} ${text}`).to.deep.equal([400, 'malformed_json'])
        }
        for (const name of some(['__proto__', 'constructor', 'prototype'])) {
          const given = await refused(`{"${name}":{"polluted":1}}`)
          expect(given, at).to.deep.equal([400, 'validation_failed', `body /${name} name`])
        }
        for (const text of some(['\\u0000', '\\ud800', '\\udc00x'])) {
          expect((await refused(`{"name":"a${text}"}`))[2], at).to.equal('body /name text')
        }
        // It says what is wrong with whatever it is given.
        const isTelling = path === '/tagging/policies/validations'
        for (const text of isTelling ? [] : some(['null', '[]', '"x"', '1', 'true'])) {
          expect((await refused(text)).slice(0, 2), `${at} ${text}`).to.deep.equal([400, 'validation_failed'])
        }
      }
      expect(({} as any).polluted).to.equal(undefined)
    })

    it('is refused in every route when it is no object or has a member that is not known [LIM-05]', () => {
      expect(bodyRoutes.length).to.be.above(100)
      for (const { path, body } of bodyRoutes) {
        // It says what is wrong with any body. A budget is sent back as it was read: members that cannot be set are ignored.
        if (path === '/tagging/policies/validations' || path === '/budgets/:budgetID') continue
        // What clients of OAuth send for other services is ignored, as RFC 6749 and 7591 say.
        if (path.startsWith('/oauth/')) continue
        const decode = bodyOfRoute(body!)
        const stray = refusals(() => decode({ isAdmin: true }))
        expect(stray, path).to.include('body /isAdmin additionalProperties')
        for (const other of [null, [], 'x', 1, true]) {
          const errors = refusals(() => decode(other))
          expect(errors, `${path} ${JSON.stringify(other)}`).to.not.deep.equal([])
        }
      }
    })

    it('is refused one character or element outside of the bounds that each text and list has [LIM-05]', async () => {
      const odd: string[] = []
      let asked = 0
      for (const { method, path, body } of bodyRoutes) {
        const decode = bodyOfRoute(body!)
        for (const { pointer, bodyOf, schema } of bodyPlaces(body as Bounded)) {
          const max = schema.type === 'array' ? schema.maxItems : schema.maxLength
          if (max === undefined) odd.push(`${method} ${path} ${pointer} has no bound`)
          for (const [value, code] of outOfBounds(schema, max!)) {
            const errors = refusals(() => decode(bodyOf(value)))
            asked++
            if (!errors.includes(`body ${pointer} ${code}`))
              odd.push(`${method} ${path} ${pointer} ${code}: ${errors.join(' ')}`)
          }
        }
      }
      expect(odd).to.deep.equal([])
      expect(asked).to.be.above(300)
      const long = await ask('POST', '/roles', JSON.stringify({ name: 'x'.repeat(1000) }))
      expect(outcome(long)).to.include.members([400, 'validation_failed', 'body /name maxLength'])
    })

    it('is refused by name where a value of another type stands [LIM-05]', async () => {
      const odd: string[] = []
      for (const { method, path, body } of bodyRoutes) {
        const decode = bodyOfRoute(body!)
        for (const place of bodyPlaces(body as Bounded)) {
          for (const value of otherTypes(place)) {
            const errors = refusals(() => decode(place.bodyOf(value)))
            const isNamed = errors.some((error) => error.startsWith(`body ${place.pointer} `))
            // Hosts number their installations: a number is as good as its digits.
            const isNumber = place.pointer === '/installationID' && value === 5
            if (!isNamed && !isNumber)
              odd.push(`${method} ${path} ${place.pointer} ${JSON.stringify(value)}: ${errors.join(' ')}`)
          }
        }
      }
      expect(odd).to.deep.equal([])
    })

    it('is refused when a number is infinite or a value of another type, each named', async () => {
      const refused = async (path: string, body: string) => outcome(await ask('POST', path, body))
      expect(await refused('/resources/by-uids', '{"uids":[1e999]}')).to.deep.equal([
        400,
        'validation_failed',
        'body /uids/0 type',
      ])
      const wrong = JSON.stringify({ name: ['x'], provider: 'oracle', externalID: 5, regions: 'all', credentials: [] })
      const named = ['name type', 'provider enum', 'externalID type', 'regions type', 'credentials type']
      expect(await refused('/cloud-accounts', wrong)).to.have.members([
        400,
        'validation_failed',
        ...named.map((e) => `body /${e}`),
      ])
    })
  })

  describe('in queries', () => {
    it('is refused when a parameter of one value is given twice', async () => {
      const single = parameters.filter((p) => !isList(p) && p.schema.keyed === undefined)
      expect(single.length).to.be.above(30)
      for (const { name, route } of single) {
        const twice = refusals(() => queryOf(route)({ [decodeURIComponent(name)]: ['1', '1'] }))
        expect(twice, `${route.path} ${name}`).to.include(`query ${decodeURIComponent(name)} repeated`)
      }
      for (const { base, name, route } of sample(single, 5)) {
        const answer = await ask(route.method, `${base}${name}=1&${name}=1`)
        expect(outcome(answer), `${base}${name}`).to.include(`query ${decodeURIComponent(name)} repeated`)
      }
    })

    it('is refused when it is no page or limit, and bounded when it is too large [LIM-01] [LIM-02]', async () => {
      const pages = parameters.filter(({ name }) => name === 'page' || name === 'limit')
      expect(pages.length).to.be.above(4)
      const bad = ['0', '-1', 'x', '', '1.5', '1e3', '1e999', 'NaN', '0x10', '１', '1;2']
      expect(wrong(pages, bad, true)).to.deep.equal([])
      const far = pages.filter(({ name }) => name === 'page')
      expect(wrong(far, ['1000000001', '9007199254740993', '1'.repeat(300), '1'.repeat(400)], true)).to.deep.equal([])
      expect(wrong(far, ['1000000000'], false)).to.deep.equal([])
      const large = pages.filter(({ name }) => name === 'limit')
      expect(wrong(large, ['101', '9007199254740993', '1'.repeat(300)], false)).to.deep.equal([])
      expect(await others(sample(far, 5), ['0', '1000000001'], isInvalid)).to.deep.equal([])
      expect(await others(sample(far, 5), ['1000000000'], isTaken)).to.deep.equal([])
      expect(await others(sample(large, 5), ['101', '1'.repeat(300)], isTaken)).to.deep.equal([])
    })

    it('is refused when it is a day that does not exist or no range, in every report [REP-01]', async () => {
      // The one that is left out looks for its metric first: it is asked in test/flows/bad-input.test.ts.
      const early = parameters.filter(({ route }) => route.path !== '/reports/unit-economics')
      const moments = early.filter(isMoment)
      expect(moments.length).to.be.above(12)
      const days = ['2025-02-30', '0000-00-00', '9999-12-31', '1969-12-31', '2026-1-1', '01/02/2026', '2026-13']
      const times = ['2026-01-01T25:00:00Z', '2026-01-01T00:00:00+99:00', '+275760-09-13', 'now', '']
      const texts = ["2026-01-01'; --", 'x'.repeat(9999)]
      expect(await others(moments, [...days, ...times, ...texts], isInvalid)).to.deep.equal([])
      for (const { base: whole, route } of early.filter(({ name }) => name === 'from')) {
        const base = whole.replace(/\bto=[^&]*&/, '')
        for (const range of ['from=2026-01-02&to=2026-01-01', 'from=2022-01-01&to=2026-01-01']) {
          const refused = outcome(await ask(route.method, base + range))
          expect(refused, base + range).to.deep.equal([400, 'validation_failed', 'query from range'])
        }
      }
    })

    it('is refused when it is no word of a closed set, and when a text holds NUL', async () => {
      const chosen = parameters.filter((p) => choices(p))
      expect(chosen.length).to.be.above(15)
      const bad = ['nonsense', 'cost_usd; DROP TABLE cost_fact', '{x:Identifier}', '__proto__', 'constructor', ' aws']
      expect(wrong(chosen, bad, true)).to.deep.equal([])
      expect(await others(sample(chosen, 5), bad, isInvalid)).to.deep.equal([])
      const texts = parameters.filter(isText)
      expect(texts.length).to.be.above(30)
      expect(wrong(texts, ['a\0b'], true)).to.deep.equal([])
      expect(await others(sample(texts, 5), ['a\0b'], isInvalid)).to.deep.equal([])
      const strange = ['filter[org_id]=x', 'filter[a][b]=x', 'filter[]=x', 'filter[__proto__]=x']
      for (const filter of strange) {
        const answer = await ask('GET', `/reports/costs/breakdown?dims=provider&${filter}`)
        expect(outcome(answer).slice(0, 2), filter).to.deep.equal([400, 'invalid_parameter'])
      }
    })

    it('is taken or refused when it is a text of thousands of characters, or no UTF-8', async () => {
      const texts = different(parameters.filter(isText))
      const long = ['x'.repeat(12_000), 'x,'.repeat(4000), '\u{1f600}'.repeat(1000)]
      // What is uploaded has a media type of its own, and this is none.
      const isRight = (answer: MemoryAnswer) => isTaken(answer) || isInvalid(answer) || answer.status === 415
      const odd: string[] = []
      for (const [n, parameter] of texts.entries()) odd.push(...(await others([parameter], [long[n % 3]!], isRight)))
      expect(odd).to.deep.equal([])
      for (const { base, name, route } of sample(texts, 8)) {
        const answer = await ask(route.method, `${base}${name}=%ED%A0%80%ff%`)
        expect(isRight(answer), `${base}${name}: ${outcome(answer).join(' ')}`).to.equal(true)
      }
    })
  })

  describe('in paths', () => {
    it('is refused when an id is not percent-encoded UTF-8 or holds NUL', async () => {
      for (const { path, params } of idRoutes) {
        const name = /:(\w+)/.exec(path)![1]!
        expect(
          refusals(() => textInput(params!, 'path')({ [name]: 'a\0b' })),
          path,
        ).to.include(`path ${name} text`)
      }
      for (const { method, path } of sample(idRoutes, 12)) {
        for (const id of sample(['%', '%zz', '%ff', '%C3%28', 'a%00b'], 3)) {
          const at = path.replaceAll(/:\w+/g, () => id)
          expect((await ask(method === 'GET' ? 'POST' : method, at, '{}')).status, at).to.be.oneOf([400, 405])
          expect((await ask('GET', at)).status, at).to.be.oneOf([400, 405])
        }
      }
    })

    it('is looked up as it is, or refused, when it is an id of any other text [GEN-15]', async () => {
      const ids = ['projects/p/i', '../../etc/passwd', "' OR 1=1 --", '%', '\\', 'x'.repeat(4000), '😀']
      for (const [n, { method, path }] of sample(idRoutes, 21).entries()) {
        for (const id of isDeep ? ids : [ids[n % ids.length]!]) {
          const at = path.replaceAll(/:\w+/g, () => encodeURIComponent(id))
          const answer = await ask(method, at, method === 'GET' || method === 'DELETE' ? undefined : '{}')
          const isRight = isTaken(answer) || [400, 404, 415].includes(answer.status)
          expect(isRight, `${method} ${at.slice(0, 100)}: ${outcome(answer).join(' ')}`).to.equal(true)
        }
      }
    })

    it('is answered with 405 and the methods of the path, for other methods', async () => {
      for (const path of sample([...new Set(routes.map((route) => route.path))], 15)) {
        const has = routes.filter((route) => route.path === path).map((route) => route.method)
        const free = ['PUT', 'PROPFIND', 'PURGE'].filter((name) => !has.some((own) => own === name))
        // That would be the budget called summary, the policy called validations, or the legacy notification called channels.
        const isNamed =
          /^\/budgets\/summary$|^\/policies\/validations$|^\/(?:notifications|autoscaler-policies|provisioning-jobs)\/[^:]+$/.test(
            path,
          )
        for (const method of free.filter((name) => name !== 'PUT' || !isNamed)) {
          const { status, body, headers } = await ask(method, path.replaceAll(/:\w+/g, 'x'))
          const code = /^\/(?:scim|oauth)\//.test(path) ? undefined : 'method_not_allowed'
          expect([status, body.code], `${method} ${path}`).to.deep.equal([405, code])
          expect(String(headers['allow']).split(', '), path).to.include.members(has)
        }
      }
    })
  })
})
