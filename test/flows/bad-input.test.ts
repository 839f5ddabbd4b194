import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { exampleIds } from '#http/readiness/example.ts'
import { exampleIds as deploymentIds } from '#http/source/example.ts'
import { routes } from '#http/index.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { deep } from '#test/fuzz/message.ts'
import { oddTexts } from '#test/fuzz/hostile.ts'
import { plantedPlan, plantedPolicies } from '#test/harness/autoscaler-row.ts'
import { amount, deepIt, isDeep, sample } from '#test/harness/tier.ts'
import { orders, probedDay } from '#test/harness/place.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'
import {
  bodyRoutes,
  choices,
  idRoutes,
  isList,
  isMoment,
  isText,
  needsBody,
  parameters,
  withValue,
  type Parameter,
} from '#test/harness/route-input.ts'
import { plantedDeployment } from '#test/harness/source.ts'

const day = probedDay

/** In `npm test` one parameter of each route: that each is refused is shown in memory (test/http/edge/bad-input.test.ts). */
const onePerRoute = (list: readonly Parameter[]): readonly Parameter[] =>
  isDeep ? list : list.filter(({ route }, n) => list.findIndex((other) => other.route === route) === n)

describe('bad input at the edge', () => {
  let org: Tenant
  let other: Tenant
  before(async () => {
    org = await (await tenant()).signedIn()
    other = await tenant()
    for (const one of [org, other]) {
      await one.send('POST', '/unit-metrics', orders)
      const account = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1' }
      await one.publish(resourceDiscovered, [{ ...account, resourceUid: 'i-1', name: 'web', type: 'aws-ec2' }])
      await plantedPolicies(one, { policy_id: exampleIds.policy })
      await plantedPlan(one, exampleIds.plan)
      await plantedDeployment(one, { id: deploymentIds.deployment })
      await one.publish(billingLine, [
        { ...account, lineId: `${day}/1`, resourceUid: 'i-1', serviceName: 'ec2', usageDate: day, costUSD: 1 },
      ])
    }
  })

  /** Status, code, and place and code of what is named. */
  const told = ({ status, body }: Answer) => [
    status,
    body?.code,
    ...(body?.errors ?? []).map((e: any) => `${e.in} ${e.name} ${e.code}`),
  ]
  const sent = async (method: string, path: string, body: string | Buffer, headers: Record<string, string> = {}) => {
    const r = await fetch(`${org.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${org.token}`, 'Content-Type': 'application/json', ...headers },
      body: body as never,
    })
    return { status: r.status, headers: r.headers, body: (await r.json()) as any }
  }
  const refused = async (method: string, path: string, body: string | Buffer, headers = {}) =>
    told(await sent(method, path, body, headers))
  /** What each answered that was not as expected. */
  async function unlike(list: readonly Parameter[], values: readonly string[], isRight: (a: Answer) => boolean) {
    const odd: string[] = []
    for (const parameter of sample(onePerRoute(list), 25)) {
      const answers = await Promise.all(
        sample(values, 1).map((value) => org.send(parameter.route.method, withValue(parameter, value))),
      )
      answers.forEach((a, i) => {
        if (!isRight(a)) odd.push(`${withValue(parameter, values[i]!)}: ${told(a).join(' ')}`)
      })
    }
    return odd
  }
  const isInvalid = ({ status, body }: Answer) => status === 400 && body.code === 'validation_failed'

  describe('in bodies', () => {
    deepIt(
      'refuses by every route what is too large, compressed, deep, no JSON, or reaches into prototypes [LIM-03]',
      async () => {
        expect(bodyRoutes.length).to.be.above(3)
        const bomb = gzipSync(Buffer.alloc(100_000_000, 32))
        const whole = new Set(sample(bodyRoutes))
        for (const route of sample(bodyRoutes, 12)) {
          const { method, path } = route
          const at = path.replaceAll(/:\w+/g, 'acct-1')
          const here = (body: string | Buffer, headers = {}) => refused(method, at, body, headers)
          expect(await here('{'), at).to.deep.equal([400, 'malformed_json'])
          if (!whole.has(route)) continue
          expect(await here('x'.repeat(1024 * 1024 + 1)), at).to.deep.equal([413, 'body_too_large'])
          expect(await here(bomb, { 'Content-Encoding': 'gzip' }), at).to.deep.equal([415, 'unsupported_media_type'])
          expect(await here('{}', { 'Content-Type': 'text/csv' }), at).to.deep.equal([415, 'unsupported_media_type'])
          for (const open of ['[', '{"a":']) {
            const [status, code, first] = await here(deep(100_000, open))
            expect([status, code], at).to.deep.equal([400, 'validation_failed'])
            expect(first, at).to.match(/ depth$/)
          }
          for (const text of ['{', '{"a":1,}', '{"a":NaN}', "{'a':1}", '\ufeff{}{}', '{"a":"\u0000"}']) {
            expect(await here(text), `${at} ${text}`).to.deep.equal([400, 'malformed_json'])
          }
          for (const name of ['__proto__', 'constructor', 'prototype']) {
            const given = await here(`{"${name}":{"polluted":1}}`)
            expect(given, at).to.deep.equal([400, 'validation_failed', `body /${name} name`])
          }
          for (const text of ['\\u0000', '\\ud800', '\\udc00x']) {
            expect((await here(`{"name":"a${text}"}`))[2], at).to.equal('body /name text')
          }
          // It says what is wrong with whatever it is given.
          const isTelling = path === '/tagging/policies/validations'
          for (const text of isTelling ? [] : ['null', '[]', '"x"', '1', 'true']) {
            expect((await here(text)).slice(0, 2), `${at} ${text}`).to.deep.equal([400, 'validation_failed'])
          }
          // A budget is sent back as it was read: what of it cannot be set is ignored.
          const isLoose = isTelling || path === '/budgets/:budgetID'
          if (!isLoose) expect(await here('{"isAdmin":true}'), at).to.include('body /isAdmin additionalProperties')
        }
        expect(({} as any).polluted).to.equal(undefined)
      },
    )

    it('refuses infinite and wrongly typed values, naming each', async () => {
      expect(await refused('POST', '/resources/by-uids', '{"uids":[1e999]}')).to.deep.equal([
        400,
        'validation_failed',
        'body /uids/0 type',
      ])
      for (const number of ['1e999', '-1e999', '0', '-0', '34560001', '9007199254740993']) {
        const at = `{"advanceSeconds":${number}}`
        expect((await refused('POST', '/internal/clock', at)).slice(0, 2), at).to.deep.equal([400, 'validation_failed'])
      }
      const wrong = JSON.stringify({ name: ['x'], provider: 'oracle', externalID: 5, regions: 'all', credentials: [] })
      expect(await refused('POST', '/cloud-accounts', wrong)).to.have.members([
        400,
        'validation_failed',
        ...['name type', 'provider enum', 'externalID type', 'regions type', 'credentials type'].map(
          (e) => `body /${e}`,
        ),
      ])
    })
  })

  describe('in queries', () => {
    it('refuses a parameter given twice where one value is taken, in every route', async () => {
      const single = parameters.filter((p) => !isList(p) && p.schema.keyed === undefined)
      expect(single.length).to.be.above(30)
      for (const { base, name, route } of sample(onePerRoute(single), 20)) {
        const got = told(await org.send(route.method, `${base}${name}=1&${name}=1`))
        expect(got, `${base}${name}`).to.include(`query ${decodeURIComponent(name)} repeated`)
      }
    })

    it('refuses pages and limits that are none, and bounds those that are too large, in every list [LIM-01] [LIM-02]', async () => {
      const pages = parameters.filter(({ name }) => name === 'page' || name === 'limit')
      expect(pages.length).to.be.above(4)
      const bad = ['0', '-1', 'x', '', '1.5', '1e3', '1e999', 'NaN', '0x10', '１', '1;2']
      expect(await unlike(pages, bad, isInvalid)).to.deep.equal([])
      const far = pages.filter(({ name }) => name === 'page')
      expect(await unlike(far, ['1000000001', '9007199254740993', '1'.repeat(400)], isInvalid)).to.deep.equal([])
      // The pages far away of the other lists: test/flows/bad-input-text.test.ts.
      expect(await unlike(sample(far), ['1000000000'], ({ status }) => status === 200)).to.deep.equal([])
      const large = pages.filter(({ name }) => name === 'limit')
      const most = ['101', '9007199254740993', '1'.repeat(300)]
      expect(await unlike(sample(large, 5), most, ({ status }) => status === 200)).to.deep.equal([])
    })

    it('refuses days that do not exist and ranges that are none, in every report [REP-01]', async () => {
      const moments = parameters.filter(isMoment)
      expect(moments.length).to.be.above(12)
      const bad = [
        '2025-02-30',
        '0000-00-00',
        '9999-12-31',
        '1969-12-31',
        '2026-1-1',
        '01/02/2026',
        'now',
        '',
        '2026-13',
      ]
      const more = [
        '2026-01-01T25:00:00Z',
        '2026-01-01T00:00:00+99:00',
        '+275760-09-13',
        "2026-01-01'; --",
        'x'.repeat(9999),
      ]
      expect(await unlike(moments, [...bad, ...more], isInvalid)).to.deep.equal([])
      // What is not asked here in `npm test` is asked in memory, but for unit economics, which look for their metric first.
      const isAsked = ({ route }: Parameter) => isDeep || route.path === '/reports/unit-economics'
      for (const { base: whole } of parameters.filter((p) => p.name === 'from' && isAsked(p))) {
        const base = whole.replace(/\bto=[^&]*&/, '')
        for (const range of ['from=2026-01-02&to=2026-01-01', 'from=2022-01-01&to=2026-01-01']) {
          expect(told(await org.get(base + range)), base + range).to.deep.equal([
            400,
            'validation_failed',
            'query from range',
          ])
        }
      }
    })

    it('takes the first and the last day there are, and repeats no filter that is too long for a header', async () => {
      for (const range of ['from=1970-01-01&to=1970-01-02', 'from=2100-12-30&to=2100-12-31']) {
        expect((await org.get(`/reports/trends?${range}`)).status, range).to.equal(200)
      }
      const long = await org.get(`/resources?page=2&limit=1&type=aws-ec2,${'x'.repeat(12_000)}`)
      expect([long.status, long.headers.get('link'), long.headers.get('x-total-count')]).to.deep.equal([200, null, '1'])
      const short = await org.get('/resources?page=2&limit=1')
      expect(short.headers.get('link')).to.equal('</resources?page=1&limit=1>; rel="prev"')
    })

    it('refuses words that are not on the list, and NUL in every text, by name', async () => {
      const chosen = parameters.filter((p) => choices(p))
      expect(chosen.length).to.be.above(15)
      const bad = ['nonsense', 'cost_usd; DROP TABLE cost_fact', '{x:Identifier}', '__proto__', 'constructor', ' aws']
      expect(await unlike(chosen, bad, isInvalid)).to.deep.equal([])
      const texts = parameters.filter(isText)
      expect(texts.length).to.be.above(30)
      expect(await unlike(texts, ['a\0b'], isInvalid)).to.deep.equal([])
      for (const { base, name, route } of sample(texts, 10)) {
        const { status } = await org.send(route.method, `${base}${name}=%ED%A0%80%ff%`)
        // A metric and a refresh are looked up by what is given; so are policies, their accounts and targets. Of nothing there is no forecast.
        const isSought = /^\/(?:autoscaler-policies|event-readiness)\/(?!count)/.test(base)
        const answers = route.upload ? [400, 415] : [200, 400]
        const others = isSought ? [200, 400, 404] : base.startsWith('/reports/forecast') ? [400, 422] : answers
        expect(status, `${base}${name}`).to.be.oneOf(['metric', 'refreshID'].includes(name) ? [404] : others)
      }
      const strange = ['filter[org_id]=x', 'filter[a][b]=x', 'filter[]=x', 'filter[__proto__]=x']
      for (const filter of strange) {
        const got = told(await org.get(`/reports/costs/breakdown?dims=provider&${filter}`))
        expect(got.slice(0, 2), filter).to.deep.equal([400, 'invalid_parameter'])
      }
    })

    it('takes what looks like a statement or a pattern as the text it is, in every text of every route', async function () {
      this.timeout(180_000)
      const read = new Map<string, number>()
      // Reports read parameters of one name by one piece of code: a few of each name stand for all.
      const isOne = ({ base, name }: (typeof parameters)[number]) => {
        if (!base.startsWith('/reports')) return true
        read.set(name, (read.get(name) ?? 0) + 1)
        return read.get(name)! <= amount(1, 4, 1000)
      }
      const texts = parameters.filter(
        (p) => isText(p) && !isMoment(p) && !['dims', 'group_by'].includes(p.name) && isOne(p),
      )
      const shape = (a: Answer, value: string) =>
        `${a.status} ${a.body?.code ?? JSON.stringify(a.body?.data ?? a.body).replaceAll(JSON.stringify(value), '"VALUE"')}`
      const odd: string[] = []
      const values = ['%', '_', "'", "' OR '1'='1", "'; DROP TABLE resource; --", '\\', '{x:String}', '${1}']
      for (const [n, p] of sample(onePerRoute(texts), 16).entries()) {
        // Parameters of one name are read by one piece of code: between them they get all values.
        const isShared = !isDeep || p.base.startsWith('/reports')
        const own = isShared ? [values[n % values.length]!] : values
        const [nothing, ...got] = await Promise.all(
          ['no such thing', ...own].map(async (value) => shape(await org.get(withValue(p, value)), value)),
        )
        got.forEach((one, i) => {
          if (one !== nothing) odd.push(`${withValue(p, own[i]!)}: ${one}, not ${nothing}`)
        })
      }
      expect(odd).to.deep.equal([])
    })
  })

  describe('in paths', () => {
    /** Clients resolve two dots before they ask: that may be another path of ours. */
    const isOther = (method: string, at: string) => {
      const resolved = new URL(at, org.url).pathname.replace(/(?<=.)\/$/, '')
      return resolved !== at && routes.some((one) => one.method === method && one.path === resolved)
    }

    it('answers ids of others, of nothing and of places outside as it answers unknown ones [GEN-10] [GEN-15]', async () => {
      const [theirs] = (await other.get('/resources/by-uids?uids=i-1')).body.data
      const ids = ['projects/p/i', '../../etc/passwd', "' OR 1=1 --", '%00', '%', '\\', 'x'.repeat(4000), '😀'].map(
        encodeURIComponent,
      )
      const more = ['%2e%2e', '%252e%252e', '%2F%2F', '00000000-0000-8000-8000-000000000000', theirs.id as string]
      const whole = new Set(sample(idRoutes))
      // Each route: test/flows/probe.test.ts.
      for (const route of sample(idRoutes, 20)) {
        const { method, path } = route
        const isBodyNeeded = needsBody(route)
        const body = method === 'GET' || method === 'DELETE' ? undefined : {}
        for (const id of whole.has(route) ? [...ids, ...more] : [theirs.id as string]) {
          const at = path.replaceAll(/:\w+/g, () => id)
          const r = await org.send(method, at, body)
          if (isOther(method, at)) continue
          const expected = [404, ...(id === '%2e%2e' ? [405] : []), ...(isBodyNeeded ? [400] : [])]
          expect(r.status, `${method} ${at}`).to.be.oneOf(expected)
          // `..` leads from what is below an organization to paths of SCIM, which refuses in its own form.
          const code = at.startsWith('/organisations/%2e%2e/scim/') ? undefined : 'not_found'
          if (r.status === 404) expect(r.body.code, `${method} ${at}`).to.equal(code)
        }
      }
    })

    it('refuses ids that are not percent-encoded UTF-8', async () => {
      for (const { method, path } of sample(idRoutes)) {
        for (const id of ['%', '%zz', '%ff', '%C3%28', 'a%00b']) {
          const at = path.replaceAll(/:\w+/g, () => id)
          expect(
            await refused(method === 'GET' ? 'POST' : method, at, '{}').then(([status]) => status),
            at,
          ).to.be.oneOf([400, 405])
          expect((await org.get(at)).status, at).to.be.oneOf([400, 405])
        }
      }
    })

    it('answers methods a path does not have with 405 and those it has', async () => {
      for (const path of sample([...new Set(routes.map((route) => route.path))], 10)) {
        const has = routes.filter((route) => route.path === path).map((route) => route.method)
        const free = ['PUT', 'PROPFIND', 'PURGE'].filter((name) => !has.some((own) => own === name))
        // That would be the budget called summary, the policy called validations, or the legacy notification called channels.
        const isNamed =
          /^\/budgets\/summary$|^\/policies\/validations$|^\/(?:notifications|autoscaler-policies|provisioning-jobs)\/[^:]+$/.test(
            path,
          )
        for (const method of free.filter((name) => name !== 'PUT' || !isNamed)) {
          const r = await org.send(method, path.replaceAll(/:\w+/g, 'x'))
          const code = /^\/(?:scim|oauth)\//.test(path) ? undefined : 'method_not_allowed'
          expect([r.status, r.body.code], `${method} ${path}`).to.deep.equal([405, code])
          expect(r.headers.get('allow')!.split(', '), path).to.include.members(has)
        }
      }
    })
  })

  it('stores odd texts and returns them equal, in every field that takes them', async () => {
    const odd = await tenant()
    const list = oddTexts.filter((text) => text.trim() !== '')
    const account = { cloudAccountId: 'odd', provider: 'aws' as const, type: 'aws-ec2' }
    const resources = list.map((text) => ({
      ...account,
      resourceUid: text,
      name: text,
      region: text,
      tags: { [text]: text },
    }))
    await odd.publish(resourceDiscovered, resources)
    const lines = list.map((text, i) => ({
      cloudAccountId: 'odd',
      provider: 'aws',
      usageDate: day,
      costUSD: 1,
      source: 'actual' as const,
      lineId: `${day}/${text}/${i}`,
      resourceUid: text,
      region: text,
      serviceName: text,
    }))
    await odd.publish(billingLine, lines)
    for (const text of sample(list, 4)) {
      const is = encodeURIComponent(text)
      const [found] = (await odd.get(`/resources/by-uids?uids=${is.replaceAll('%2C', ',')}`)).body.data
      expect([found.uid, found.name, found.region, found.tags], is).to.deep.equal([text, text, text, { [text]: text }])
      expect((await odd.send('PATCH', '/cloud-accounts/odd', { name: text })).body.data.name, is).to.equal(text)
      expect((await odd.get(`/cloud-accounts?search=${is}`)).body.data.total, is).to.equal(1)
      const report = `/reports/costs/breakdown?dims=region,service_name&filter[service_name]=${is}&from=${day}&to=${day}`
      const { nodes, totalUSD } = (await odd.get(report)).body.data
      // A report asks by it for what has no value.
      if (text !== '(none)') expect([nodes.length, totalUSD], is).to.deep.equal([2, 1])
    }
  })
})
