/** The documents for programs, as the edge serves them. */
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { asyncapi } from '#http/site/asyncapi.ts'
import { documents } from '#http/site/document.ts'
import { route } from '#http/edge/route.ts'
import { t } from '#engine/value/schema.ts'
import { scopeOf, served } from '#test/http/serving.ts'

const nothing = { summary: 'Do it', handle: async () => 'x' as never } as const
const page = t.Object({ page: t.Optional(t.Integer()), limit: t.Optional(t.Integer()) })
const routes = [
  route({
    ...nothing,
    method: 'GET',
    path: '/cats',
    permission: 'service.view',
    tags: ['Cats'],
    query: page,
    reply: t.Array(t.String()),
  }),
  route({ ...nothing, method: 'POST', path: '/cats', permission: 'service.view', tags: ['Cats'], reply: t.String() }),
  route({
    ...nothing,
    method: 'POST',
    path: '/dogs',
    permission: 'public',
    tags: ['Dogs'],
    readOnly: true,
    reply: t.String(),
  }),
]

describe('the OpenAPI document, served', () => {
  const site = served(documents(routes, '1'), scopeOf({ settings: { publicUrl: '' } as never }))
  const pathsOf = async (query = '') => {
    const response = await site.get(`/openapi.json${query}`, { 'accept-encoding': 'identity' })
    return [response.status, Object.keys(((await response.json()) as any).paths ?? {})]
  }

  it('is compressed as the client takes it, and not sent again to who has it', async () => {
    const plain = await site.get('/openapi.json', { 'accept-encoding': 'identity' })
    const text = await plain.text()
    for (const encoding of ['br', 'gzip']) {
      // `fetch` decodes it; the length that was sent tells that it was compressed.
      const response = await site.get('/openapi.json', { 'accept-encoding': encoding })
      expect([response.headers.get('content-encoding'), response.headers.get('vary')]).to.deep.equal([
        encoding,
        'Accept-Encoding',
      ])
      expect(Number(response.headers.get('content-length'))).to.be.below(text.length / 2)
      expect(await response.text()).to.equal(text)
      const etag = response.headers.get('etag')!
      const again = await site.get('/openapi.json', { 'accept-encoding': encoding, 'if-none-match': etag })
      expect([again.status, await again.text(), again.headers.get('etag')]).to.deep.equal([304, '', etag])
    }
    expect(plain.headers.get('content-type')).to.equal('application/json; charset=utf-8')
  })

  it('is of one tag alone on request', async () => {
    expect(await pathsOf()).to.deep.equal([200, ['/cats', '/dogs']])
    expect(await pathsOf('?tag=Dogs')).to.deep.equal([200, ['/dogs']])
    expect(await pathsOf('?tag=Birds')).to.deep.equal([404, []])
  })

  it('says which headers an operation takes and sends', async () => {
    const { paths } = (await (await site.get('/openapi.json')).json()) as any
    const headersOf = ({ responses }: any) => Object.keys(responses['200'].headers)
    const keyed = ({ parameters }: any) =>
      parameters.filter((one: any) => one.in === 'header').map((one: any) => one.name)
    expect(headersOf(paths['/cats'].get)).to.deep.equal([
      'X-Request-Id',
      'RateLimit',
      'RateLimit-Policy',
      'X-Total-Count',
      'Link',
    ])
    expect(headersOf(paths['/dogs'].post)).to.deep.equal(['X-Request-Id'])
    expect([paths['/cats'].post, paths['/cats'].get, paths['/dogs'].post].map(keyed)).to.deep.equal([
      ['Idempotency-Key'],
      [],
      [],
    ])
  })
})

describe('the AsyncAPI document', () => {
  const document = JSON.parse(JSON.stringify(asyncapi({ title: 'Tidemark', version: '1' })))

  it('is one by the schema of AsyncAPI 3.0', () => {
    const require = createRequire(import.meta.url)
    const schema = require('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
    const validate = ajv.compile(schema)
    expect(validate(document), ajv.errorsText(validate.errors)).to.equal(true)
  })

  it('has the subjects that producers, executors and builders use, each with its messages', () => {
    expect(
      Object.entries<any>(document.channels).map(([name, { address }]) => [name, address]),
    ).to.deep.include.members([
      ['ingest.billing', 'ingest.billing.{orgID}.{cloudAccountID}'],
      ['ingest.resource', 'ingest.resource.{orgID}.{cloudAccountID}'],
      ['event.budget', 'event.budget.{orgID}.{type}'],
      ['exec.intent', 'exec.intent.{orgID}.{cloudAccountID}'],
      ['build.job', 'build.job.{orgID}.{deploymentID}'],
    ])
    expect(document.operations['ingest.billing'].action).to.equal('receive')
    expect(document.operations['event.budget'].action).to.equal('send')
    expect(Object.keys(document.channels['ingest.billing'].messages)).to.include('billing.line')
  })

  it('has examples that its own schemas take', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    const wrong = Object.values<any>(document.components.messages).flatMap(({ name, payload, examples = [] }) => {
      const validate = ajv.compile(payload.schema)
      return examples.flatMap((one: any) =>
        validate(one.payload) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`],
      )
    })
    expect(wrong).to.deep.equal([])
  })
})
