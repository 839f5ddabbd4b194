import { expect } from 'chai'
import { decoder, t } from '#engine/value/schema.ts'
import { ingestSubjects } from '#streams/index.ts'
import { routes, site } from '#http/index.ts'
import { securityTxt } from '#http/site/security-txt.ts'
import type { Check } from '#http/site/health.ts'
import { openapi } from '#http/edge/document/openapi.ts'
import { route, type Route } from '#http/edge/route.ts'
import { scopeOf, served } from '#test/http/serving.ts'

const good: Check[] = [
  { name: 'postgres', ok: true },
  { name: 'nats', ok: true, version: '2.12.1', syncsAlways: true },
]

const all = site(routes, { version: '9.9.9', ready: async () => good, hooks: true })
/** What there is beside the routes of capabilities. */
const beside = site([], { version: '9.9.9', ready: async () => good, hooks: true })
const settings = {
  settings: {
    reportCost: 'billed',
    reportSavings: 'reported',
    egressCidrs: [],
    allowPrivateAddresses: false,
    publicUrl: 'http://tidemark.test',
  },
} as const
const info = { title: 'Tidemark', version: '9.9.9', url: 'http://tidemark.test' }

/** Every `$ref` of a document, wherever it stands. */
const refs = (value: any): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [inner as string] : refs(inner)))

const at = (document: any, ref: string) =>
  ref
    .slice(2)
    .split('/')
    .reduce((found, key) => found?.[key], document)

describe('security.txt', () => {
  const now = new Date('2026-01-02T03:04:05.678Z')
  const pages = served(all, scopeOf({ ...settings, now: () => now }))

  it('names the contacts of the operator, its own address and a day within a year', () => {
    const contacts = ['mailto:security@acme.example', 'https://acme.example/report']
    expect(securityTxt({ contacts, publicUrl: 'https://costs.acme.example', now })).to.equal(
      [
        'Contact: mailto:security@acme.example',
        'Contact: https://acme.example/report',
        'Expires: 2026-07-01T00:00:00Z',
        'Canonical: https://costs.acme.example/.well-known/security.txt',
        'Policy: https://costs.acme.example/.well-known/security-policy',
        '',
      ].join('\n'),
    )
  })

  it('leads to the policy of the product where the operator names nobody', async () => {
    const told = await pages.get('/.well-known/security.txt')
    expect(told.headers.get('content-type')).to.equal('text/plain; charset=utf-8')
    const policy = 'http://tidemark.test/.well-known/security-policy'
    expect(await told.text()).to.equal(`Contact: ${policy}\nExpires: 2026-07-01T00:00:00Z\nPolicy: ${policy}\n`)
    expect(await (await pages.get('/.well-known/security-policy')).text()).to.match(/^# Security policy\n/)
  })
})

describe('http document', () => {
  const pages = served(all, scopeOf(settings))
  let document: any
  before(async () => {
    const r = await pages.get('/openapi.json')
    expect(r.headers.get('content-type')).to.equal('application/json; charset=utf-8')
    document = await r.json()
  })

  it('is OpenAPI 3.1 of this version, with bearer tokens', () => {
    expect(document).to.include({ openapi: '3.1.0' })
    expect(document.info).to.include({ title: 'Tidemark', version: '9.9.9' })
    expect(document.security).to.deep.equal([{ bearer: [] }])
    expect(document.components.securitySchemes.bearer).to.include({ type: 'http', scheme: 'bearer' })
    expect(document.servers.map((s: any) => s.url)).to.deep.equal(['/', 'http://tidemark.test'])
  })
  it('has every public route once, under its own operation id, and none that is hidden', () => {
    const operations = Object.entries<any>(document.paths).flatMap(([path, item]) =>
      Object.entries<any>(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
    )
    const declared = all.filter((r) => !r.hidden).map((r) => `${r.method} ${r.path.replaceAll(/:(\w+)/g, '{$1}')}`)
    expect(operations.map((o) => o.name)).to.have.members(declared)
    expect(new Set(operations.map((o) => o.operation.operationId)).size).to.equal(operations.length)
    // Those of our own services alone are told of, and neither pages nor hooks of tests.
    const apart = operations.filter(({ name }) => /internal|docs/.test(name))
    expect(apart.map(({ name, operation }) => [name, operation.security])).to.have.deep.members([
      ['POST /internal/event-readiness/{eventID}/status', [{ service: [] }]],
      ['GET /internal/deployments', [{ service: [] }]],
    ])
    for (const { name, operation } of operations) {
      expect(operation.summary, name).to.be.a('string').with.length.above(5)
      expect(operation.tags, name).to.have.length.above(0)
    }
  })
  it('declares every parameter of every path, and no other', () => {
    for (const [path, item] of Object.entries<any>(document.paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      for (const operation of Object.values<any>(item)) {
        const parameters = operation.parameters.filter((p: any) => p.in === 'path')
        expect(
          parameters.map((p: any) => p.name),
          path,
        ).to.have.members(named)
        expect(
          parameters.every((p: any) => p.required),
          path,
        ).to.equal(true)
      }
    }
  })
  it('refers only to what it has, and uses every component', () => {
    const used = new Set(refs(document))
    for (const ref of used) expect(at(document, ref), ref).to.be.an('object')
    const schemas = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect(schemas.filter((ref) => !used.has(ref))).to.deep.equal([])
    expect(schemas).to.include.members(['#/components/schemas/Resource', '#/components/schemas/ProblemInput'])
  })
  it('promises problem documents for what may go wrong [LIM-06]', () => {
    const { responses } = document.paths['/resources/{resourceID}'].get
    expect(Object.keys(responses)).to.have.members(['200', '400', '401', '403', '404', '429', '500', '503'])
    expect(at(document, responses['404'].$ref).content).to.have.property('application/problem+json')
    expect(document.paths['/healthz'].get.security).to.deep.equal([])
    expect(document.paths['/healthz'].get.responses).to.not.have.property('401')
  })
  it('shows how lists are written, what bodies refuse, and keeps our own keywords to itself', () => {
    const parameters = document.paths['/resources'].get.parameters
    expect(parameters.find((p: any) => p.name === 'type')).to.deep.include({ style: 'form', explode: false })
    expect(parameters.find((p: any) => p.name === 'limit').schema).to.deep.include({ default: 20, minimum: 1 })
    const body = document.paths['/cloud-accounts'].post.requestBody
    expect(body.required).to.equal(true)
    expect(body.content['application/json'].schema.additionalProperties).to.equal(false)
    expect(document.paths['/cloud-accounts'].post.responses['201'].headers).to.have.property('Location')
    expect(JSON.stringify(document)).to.not.match(/"(clamp|alias|keyed)":/)
  })
  it('shows what keys of the own choice look like, and what reports say of their figures beside them', () => {
    const parameters = document.paths['/resources'].get.parameters
    const filter = parameters.find((p: any) => p.name === 'filter')
    expect(filter).to.include({ style: 'deepObject', explode: true })
    expect(filter.schema.examples).to.deep.equal([{ 'specs.attached': ['false'] }])
    const { schema } = document.paths['/reports/trends'].get.responses['200'].content['application/json']
    expect(schema.required).to.deep.equal(['data', 'meta'])
    expect(schema.properties.meta).to.deep.equal({ $ref: '#/components/schemas/ReportMeta' })
    expect(document.components.schemas.ReportMeta.examples[0]).to.include({ cost: 'billed', currency: 'USD' })
    const summary = document.paths['/budgets/summary'].get.responses['200'].content['application/json']
    expect(summary.schema.required).to.deep.equal(['data'])
  })
  it('refuses two schemas of one title, and two routes of one id', () => {
    const one = (path: string, properties: object): Route =>
      route({
        method: 'GET',
        path,
        summary: 'one',
        permission: 'public',
        reply: t.Object(properties as never, { title: 'Same' }),
        handle: async () => ({}) as never,
      })
    expect(() => openapi([one('/a', {}), one('/b', { x: t.String() })], info)).to.throw('the title Same')
    expect(() => openapi([one('/a', {}), one('/a', {})], info)).to.throw('the ID get_a')
  })
})

describe('http reference page', () => {
  const pages = served(beside, scopeOf(settings))

  for (const base of ['', '/api']) {
    it(`loads only what we serve, under ${base || '/'}`, async () => {
      const r = await pages.get(`${base}/docs`)
      expect(r.headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(r.headers.get('content-security-policy')).to.match(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      )
      const html = await r.text()
      expect(html).to.not.match(/https?:|\/\/|<script>|<style|style=|onload=/)
      const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name!)
      expect(loaded).to.have.length(4)
      for (const name of loaded) {
        const file = await fetch(new URL(name, `${pages.url}${base}/docs`))
        expect(file.status, name).to.equal(200)
        expect(file.headers.get('x-content-type-options')).to.equal('nosniff')
        expect((await file.arrayBuffer()).byteLength).to.be.above(100)
      }
    })
  }
  it('starts with our own document and asks nobody to judge it', async () => {
    const r = await pages.get('/docs/start.js')
    expect(r.headers.get('content-type')).to.match(/^(text|application)\/javascript/)
    const script = await r.text()
    expect(script).to.contain("url: 'openapi.json'")
    expect(script).to.contain('validatorUrl: null')
    expect(script).to.not.match(/https?:/)
  })
  it('loads nothing from its style sheet', async () => {
    const css = await (await pages.get('/docs/swagger-ui.css')).text()
    expect(css.match(/@import|url\((?!["']?data:)/g)).to.equal(null)
  })
  it('sends a caller with a slash at the end to the page', async () => {
    const r = await pages.get('/api/docs/')
    expect([r.status, r.headers.get('location')]).to.deep.equal([308, '../docs'])
  })
})

describe('http schemas of the ingest stream', () => {
  const pages = served(beside, scopeOf(settings))

  it('lists the subjects producers may publish, with where to publish them', async () => {
    const { schemas } = (await (await pages.get('/schemas')).json()) as any
    expect(schemas.map((s: any) => [s.type, s.subject, s.url])).to.deep.equal([
      ['resource.discovered', 'ingest.resource.<orgID>.<cloudAccountID>', '/schemas/resource.discovered.json'],
      ['resource.deleted', 'ingest.resource.<orgID>.<cloudAccountID>', '/schemas/resource.deleted.json'],
      ['metric.sample', 'ingest.metric.<orgID>.<cloudAccountID>', '/schemas/metric.sample.json'],
      ['kubernetes.usage', 'ingest.metric.<orgID>.<cloudAccountID>', '/schemas/kubernetes.usage.json'],
      ['billing.line', 'ingest.billing.<orgID>.<cloudAccountID>', '/schemas/billing.line.json'],
      ['billing.day_closed', 'ingest.billing.<orgID>.<cloudAccountID>', '/schemas/billing.day_closed.json'],
      ['billing.export_ended', 'ingest.billing.<orgID>.<cloudAccountID>', '/schemas/billing.export_ended.json'],
      ['refresh.progress', 'ingest.control.<orgID>.<cloudAccountID>', '/schemas/refresh.progress.json'],
    ])
  })
  for (const subject of ingestSubjects) {
    it(`describes the whole envelope of ${subject.name}, whose examples fit it`, async () => {
      const schema = (await (await pages.get(`/schemas/${subject.name}.json`)).json()) as any
      expect(schema.required).to.have.members(['id', 'type', 'schemaVersion', 'orgId', 'time', 'data'])
      const decode = decoder(schema)
      expect(schema.examples).to.have.length.above(0)
      for (const example of schema.examples) {
        expect(decode(example)).to.equal(example)
        expect(() => decode({ ...example, type: 'other' })).to.throw('does not match')
        expect(() => decode({ ...example, data: {} })).to.throw('does not match')
      }
    })
  }
  it('answers 404 for a kind there is not', async () => {
    expect((await pages.get('/schemas/other.json')).status).to.equal(404)
  })
})

describe('http health', () => {
  const sick: Check[] = [
    ...good,
    { name: 'clickhouse', ok: false, message: 'connection refused' },
    { name: 'lanes', ok: false },
  ]
  const well = served(beside, scopeOf(settings))
  const ill = served(site([], { version: '1', ready: async () => sick }), scopeOf(settings))

  it('lives while it answers, whatever the stores do', async () => {
    for (const pages of [well, ill]) {
      expect(await (await pages.get('/healthz')).json()).to.deep.equal({ status: 'ok' })
    }
  })
  it('is ready when every check is, and says of each what it saw, but no version', async () => {
    const shown = good.map(({ version: _version, ...check }) => check)
    expect(await (await well.get('/readyz')).json()).to.deep.equal({ status: 'ready', checks: shown })
  })
  it('answers 503 naming what does not work', async () => {
    const r = await ill.get('/readyz')
    expect(r.status).to.equal(503)
    expect(r.headers.get('content-type')).to.equal('application/problem+json')
    const body = (await r.json()) as any
    expect(body).to.include({ code: 'unavailable', detail: 'Not ready: clickhouse (connection refused), lanes.' })
    expect(body.checks).to.deep.equal(sick.map(({ version: _version, ...check }) => check))
  })
})

describe('http test hooks', () => {
  const calls: unknown[] = []
  let now = new Date('2026-01-01T00:00:00Z')
  const at = '2026-01-01T00:00:00.000Z'
  const mails = [
    { at, to: 'ana@example.com', subject: 'Code', text: 'Your code' },
    {
      at,
      to: 'Ana@example.com',
      subject: 'Budget',
      text: 'b',
      html: '<p>b</p>',
      headers: { 'List-Unsubscribe': '<u>' },
    },
    { at, to: 'ben@example.com', subject: 'Code', text: 'His code' },
  ]
  const details: { size?: string; specs?: Record<string, unknown> }[] = []
  const hooks = {
    setClock: async (to: Date) => void (now = to),
    faults: async (plan: unknown) => void calls.push(plan),
    calls: async (since?: string | Date) => ({
      calls: [
        { at: new Date(Date.UTC(2026, 0, 1)), call: 'look', cloudAccountId: String(since), outcome: 'ok' } as const,
        ...details.map((detail) => ({
          ...({ at: new Date(at), call: 'set', cloudAccountId: 'a', outcome: 'ok' } as const),
          detail,
        })),
      ],
      next: '0.99',
    }),
    mails: async () => mails,
    settle: async (orgId: string, waitMs: number) => (orgId === 'busy' ? [`2 effect after ${waitMs} ms`] : []),
    tick: async () => `tick-${calls.push('tick')}`,
    runJob: async (job: string, of: object) => `run-${calls.push({ job, of })}`,
  }
  const on = served(beside, scopeOf({ ...settings, hooks, now: () => now }))
  const off = served(site([], { version: '1', ready: async () => good }), scopeOf(settings))

  it('set the clock and move it on', async () => {
    const set = await on.send('POST', '/internal/clock', { now: '2026-02-01T00:00:00Z' })
    expect(await set.json()).to.deep.equal({ now: '2026-02-01T00:00:00.000Z' })
    const moved = await on.send('POST', '/internal/clock', { advanceSeconds: 90.5 })
    expect(await moved.json()).to.deep.equal({ now: '2026-02-01T00:01:30.500Z' })
    expect((await on.send('POST', '/internal/clock', {})).status).to.equal(400)
  })
  it('read the mails to an address, however it is written, with all that they hold', async () => {
    const read = async (query: string) => (await (await on.get(`/internal/sim/mails${query}`)).json()) as unknown
    expect(await read('?to=ANA@example.com')).to.deep.equal({ data: mails.slice(0, 2), mails: mails.slice(0, 2) })
    expect(await read('')).to.deep.equal({ data: mails, mails })
  })
  it('answer once nothing of an organization is under way, or at the end of the wait', async () => {
    const settled = async (body: object) => (await on.send('POST', '/internal/settled', body)).json()
    expect(await settled({ orgId: 'calm' })).to.deep.equal({ settled: true, left: [] })
    const left = ['2 effect after 1500 ms']
    expect(await settled({ orgId: 'busy', waitSeconds: 1.5 })).to.deep.equal({ settled: false, left })
  })
  it('pass on faults and ticks', async () => {
    const fault = { call: 'discover', error: 'throttled', times: 2 }
    const planned = await on.send('POST', '/internal/sim/faults', { faults: [fault] })
    expect(await planned.json()).to.deep.equal({ active: 1 })
    expect(calls).to.deep.equal([{ faults: [fault] }])
  })
  it('read the calls of the simulated cloud from a moment or a cursor on G-105', async () => {
    const read = async (query: string) => (await on.get(`/internal/sim/calls${query}`)).json() as Promise<any>
    const call = { at: '2026-01-01T00:00:00.000Z', call: 'look', outcome: 'ok' }
    expect((await read('?since=0.17')).data).to.deep.equal({
      calls: [{ ...call, cloudAccountId: '0.17' }],
      next: '0.99',
    })
    const moment = new Date('2026-02-01T00:00:00Z')
    expect((await read('?since=2026-02-01T00:00:00Z')).data.calls[0].cloudAccountId).to.equal(String(moment))
    expect((await on.get('/internal/sim/calls?since=yesterday')).status).to.equal(400)
    expect((await off.get('/internal/sim/calls')).status).to.equal(404)
  })
  it('tell of a call what it was to make of a resource', async () => {
    const told = [{ size: 'm5.large' }, { specs: { tier: 'BASIC', list: [1, { a: null }], on: false } }]
    details.push(...told)
    const { data } = (await (await on.get('/internal/sim/calls')).json()) as any
    details.length = 0
    expect(data.calls.slice(1).map(({ detail }: any) => detail)).to.deep.equal(told)
  })
  it('run jobs, with what they are about, and answer with the run [ANOM-07] G-105', async () => {
    calls.length = 0
    const run = async (name: string, body?: object) => {
      const response = await on.send('POST', `/internal/jobs/${name}/run`, body)
      const answer = (await response.json()) as any
      return [response.status, answer.data ?? answer.errors?.[0]?.name ?? answer.code]
    }
    const ran = [
      await run('tick'),
      await run('tick', {}),
      await run('anomaly-detection', { orgId: 'o1', date: '2028-02-29' }),
      await run('monthly-snapshot', { period: '2026-12' }),
      await run('budget-evaluation'),
    ]
    expect(ran).to.deep.equal(['tick-1', 'tick-2', 'run-3', 'run-4', 'run-5'].map((runID) => [202, { runID }]))
    expect(calls.slice(2)).to.deep.equal([
      { job: 'anomaly-detection', of: { orgId: 'o1', date: '2028-02-29' } },
      { job: 'monthly-snapshot', of: { period: '2026-12' } },
      { job: 'budget-evaluation', of: {} },
    ])
    const refused = [
      await run('anomaly-detection', { date: '2026-02-29' }),
      await run('anomaly-detection', { date: '2026-2-9' }),
      await run('monthly-snapshot', { period: '2026-13' }),
      await run('monthly-snapshot', { date: '2026-01-01' }),
      await run('billing-sync', { period: '2026-01' }),
      await run('tick', { orgId: 'o1' }),
      await run('billing-sync', { organization: 'o1' }),
    ]
    const names = ['/date', '/date', '/period', '/date', '/period', '/orgId', '/organization']
    expect(refused).to.deep.equal(names.map((name) => [400, name]))
    expect([await run('cleaning', {}), await run('tick%20')]).to.deep.equal([
      [404, 'not_found'],
      [404, 'not_found'],
    ])
    expect(calls).to.have.length(5)
  })
  it('are not there unless they were switched on', async () => {
    expect((await off.send('POST', '/internal/clock', { advanceSeconds: 1 })).status).to.equal(404)
  })
})
