import { expect } from 'chai'
import { t } from '#engine/value/schema.ts'
import { route } from '#http/edge/route.ts'
import { problem, served } from '#test/http/serving.ts'

const open = { path: '/things', permission: 'service.view', summary: 'a test', reply: t.Unknown() } as const

const routes = [
  route({ ...open, method: 'GET', handle: async () => ({}) }),
  route({
    ...open,
    method: 'POST',
    status: 201,
    body: t.Object({
      name: t.String(),
      size: t.Integer(),
      tags: t.Optional(t.Record(t.String(), t.Unknown())),
      inner: t.Optional(t.Object({ a: t.Optional(t.String()) })),
    }),
    handle: async ({ body }) => body,
  }),
  route({
    ...open,
    method: 'PATCH',
    body: t.Object({ name: t.Optional(t.String()) }),
    handle: async ({ body }) => body,
  }),
]

describe('http bodies', () => {
  const site = served(routes)

  const refused = async (body: string, headers: Record<string, string> = {}) => {
    const r = await site.send('POST', '/things', body, headers)
    return { status: r.status, body: await problem(r) }
  }
  const thing = { name: 'a', size: 1 }

  it('takes application/json with or without its charset only [GEN-02]', async () => {
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
      expect((await site.send('POST', '/things', thing, { 'content-type': type })).status).to.equal(201)
    }
    for (const type of ['text/plain', 'application/json; charset=latin1', 'application/x-www-form-urlencoded', '']) {
      const r = await refused(JSON.stringify(thing), { 'content-type': type })
      expect([r.status, r.body['code']]).to.deep.equal([415, 'unsupported_media_type'])
    }
  })
  it('takes no compressed body [GEN-02]', async () => {
    const r = await refused(JSON.stringify(thing), { 'content-encoding': 'gzip' })
    expect([r.status, r.body['code']]).to.deep.equal([415, 'unsupported_media_type'])
    expect((await site.send('POST', '/things', thing, { 'content-encoding': 'identity' })).status).to.equal(201)
  })
  it('takes 1 MiB and not a byte more, and answers before it is all sent [LIM-03]', async () => {
    const padded = (bytes: number) => JSON.stringify(thing).padEnd(bytes, ' ')
    expect((await site.send('POST', '/things', padded(1024 * 1024))).status).to.equal(201)
    for (const bytes of [1024 * 1024 + 1, 8 * 1024 * 1024]) {
      const r = await refused(padded(bytes))
      expect([r.status, r.body['code']]).to.deep.equal([413, 'body_too_large'])
    }
    expect((await site.get('/things')).status).to.equal(200)
  })
  it('counts the bytes of a body that does not say its length [LIM-03]', async () => {
    const chunk = new Uint8Array(64 * 1024).fill(32)
    const body = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 32; i++) controller.enqueue(chunk)
        controller.close()
      },
    })
    const headers = { 'content-type': 'application/json' }
    const r = await fetch(`${site.url}/things`, { method: 'POST', headers, body, duplex: 'half' } as never)
    expect(r.status).to.equal(413)
  })
  it('refuses what is not JSON, or not UTF-8', async () => {
    for (const body of ['{', 'nope', '{"a":1,}', "{'a':1}"]) {
      expect((await refused(body)).body).to.include({ status: 400, code: 'malformed_json' })
    }
    const latin = await fetch(`${site.url}/things`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"name":"\xe9","size":1}', 'latin1'),
    })
    expect(latin.status).to.equal(400)
  })
  it('names every missing, unknown and wrong field by JSON pointer [LIM-05]', async () => {
    const { status, body } = await refused(JSON.stringify({ size: 'big', 'a/b~c': 1, other: 2 }))
    expect(status).to.equal(400)
    const found = body['errors'].map((e: any) => [e.in, e.name, e.code])
    expect(found).to.deep.include.members([
      ['body', '/name', 'required'],
      ['body', '/size', 'type'],
      ['body', '/other', 'additionalProperties'],
      ['body', '/a~1b~0c', 'additionalProperties'],
    ])
  })
  it('refuses unknown fields of inner objects, and takes the free names of maps', async () => {
    expect((await refused(JSON.stringify({ ...thing, inner: { b: 1 } }))).body['errors'][0]).to.include({
      name: '/inner/b',
    })
    expect((await site.send('POST', '/things', { ...thing, tags: { anything: 1 } })).status).to.equal(201)
  })
  it('refuses a missing body where one is needed, and takes none as empty where nothing is', async () => {
    const missing = await problem(await site.send('POST', '/things'))
    expect(missing['errors']).to.deep.equal([
      { in: 'body', name: '', code: 'required', message: 'must have a JSON body' },
    ])
    expect(await (await site.send('PATCH', '/things')).json()).to.deep.equal({ data: {} })
    expect((await site.send('PATCH', '/things', 'null')).status).to.equal(400)
  })
  it('refuses names that reach into prototypes, wherever they stand', async () => {
    for (const text of ['{"__proto__":{}}', '{"tags":{"constructor":1}}', '{"tags":{"a":[{"prototype":1}]}}']) {
      const { status, body } = await refused(text)
      expect(status).to.equal(400)
      expect(body['errors'][0]).to.include({ in: 'body', code: 'name' })
    }
  })
  it('takes 32 levels and no more', async () => {
    const nested = (levels: number) => `{"name":"a","size":1,"tags":{"x":${'['.repeat(levels)}${']'.repeat(levels)}}}`
    expect((await site.send('POST', '/things', nested(30))).status).to.equal(201)
    expect((await refused(nested(31))).body['errors'][0]).to.include({ code: 'depth' })
    expect((await refused(nested(200_000))).status).to.equal(400)
  })
  it('refuses NUL and lone surrogates in values and in names', async () => {
    for (const text of ['"\\u0000"', '"\\ud800"']) {
      const value = await refused(`{"name":${text},"size":1}`)
      expect(value.body['errors']).to.deep.equal([
        { in: 'body', name: '/name', code: 'text', message: 'contains a character that is not allowed in text' },
      ])
      expect((await refused(`{"name":"a","size":1,"tags":{${text}:1}}`)).status).to.equal(400)
    }
    expect((await site.send('POST', '/things', { name: '😀', size: 1 })).status).to.equal(201)
  })
})
