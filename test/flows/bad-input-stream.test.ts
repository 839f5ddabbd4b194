import { randomUUID } from 'node:crypto'
import { jetstream } from '@nats-io/jetstream'
import { headers as natsHeaders } from '@nats-io/transport-node'
import { expect } from 'chai'
import { billingLine } from '#streams/billing.ts'
import { metricSample } from '#streams/metric.ts'
import { resourceDiscovered } from '#streams/resource.ts'
import { deep } from '#test/fuzz/message.ts'
import { publishMarkers, reached } from '#test/fuzz/stream.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

/** A text of 3 bytes a character that no compression makes small enough for an index. */
const unindexable = Array.from({ length: 1024 }, (_, i) =>
  String.fromCodePoint(0x4e00 + ((i * i * 7919) % 20_900)),
).join('')

const base64url = (text: string) => `=${Buffer.from(text).toString('base64url')}`

describe('bad input on the stream', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))

  const resource = (fields: object = {}) => ({ ...resourceDiscovered.examples[0], ...fields })
  const line = (fields: object = {}) => ({ ...billingLine.examples[0], ...fields })
  const sample = (fields: object = {}) => ({
    resourceUid: 'i-1',
    samples: [{ ...metricSample.examples[0]!.samples[0], ...fields }],
  })
  const envelope = (type: string, data: unknown, head: object = {}) => ({
    id: randomUUID(),
    type,
    schemaVersion: 1,
    orgId: org.orgId,
    time: '2026-01-15T10:00:00Z',
    data,
    ...head,
  })
  const found = (fields: object = {}, head: object = {}) => envelope('resource.discovered', resource(fields), head)
  const billed = (fields: object = {}, head: object = {}) => envelope('billing.line', line(fields), head)

  interface To {
    kind?: string
    org?: string
    place?: string
    headers?: Record<string, string>
  }

  /** Publishes it and a good message behind it in every lane; the dead letters of it, once all lanes came so far. */
  async function setAside(
    body: unknown,
    { kind = 'resource', org: token = org.orgId, place = 'acct-1', headers = {} }: To = {},
  ) {
    const given = natsHeaders()
    for (const [name, value] of Object.entries(headers)) given.set(name, value)
    const js = jetstream(org.connections.nats)
    const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body)
    const ack = await js.publish(`ingest.${kind}.${token}.${place}`, bytes, { headers: given, timeout: 20_000 })
    expect(await reached(org, await publishMarkers(js, org))).to.deep.equal([])
    // What was sent on to another lane stands before the marker that is published now.
    expect(await reached(org, await publishMarkers(js, org))).to.deep.equal([])
    const sql = `select code, reason, type, org_id, message_id, length(body) as bytes, body, headers from dead_letter
      where (lane = $1 and seq = $2) or (org_id = $3 and at > now() - interval '1 minute') order by seq, id`
    return (await org.connections.store.pool.query(sql, [ack.stream.slice('LANE-'.length), ack.seq, org.orgId])).rows
  }
  const codes = async (body: unknown, to: To = {}) => (await setAside(body, to)).map(({ code }) => code)

  it('becomes a dead letter with its bytes when it is no message at all', async () => {
    const cases: [unknown, string][] = [
      ['', 'malformed_json'],
      ['hello', 'malformed_json'],
      ['{"id":"x"', 'malformed_json'],
      [Buffer.from([0xff, 0xfe, 0]), 'not_utf8'],
      ['[]', 'empty_message'],
      [JSON.stringify(Array.from({ length: 5001 }, () => 1)), 'too_many_envelopes'],
      ['null', 'validation_failed'],
      ['1e999', 'validation_failed'],
      ['{"__proto__":{"id":"x"}}', 'validation_failed'],
    ]
    for (const [body, code] of cases) {
      org = await tenant()
      const [letter, ...others] = await setAside(body)
      expect([letter.code, others.length], String(body).slice(0, 40)).to.deep.equal([code, 0])
      expect(letter.body.equals(Buffer.from(body as string)), String(body).slice(0, 40)).to.equal(true)
    }
  })

  it('becomes a dead letter when its envelope is not ours: type, version, organization, subject, time', async () => {
    const other = await tenant()
    const far = new Date(Date.now() + 3 * 86_400_000).toISOString()
    const cases: [object, string, To?][] = [
      [found({}, { schemaVersion: 2 }), 'validation_failed'],
      [found({}, { schemaVersion: '1' }), 'validation_failed'],
      [found({}, { type: 'resource.exploded' }), 'unknown_type'],
      [found({}, { type: '__proto__' }), 'unknown_type'],
      [found({}, { orgId: other.orgId }), 'foreign_organization'],
      [found({}, { id: '' }), 'validation_failed'],
      [found({}, { id: 'x'.repeat(257) }), 'validation_failed'],
      [found({}, { time: far }), 'time_invalid'],
      [found({}, { time: 'yesterday' }), 'time_invalid'],
      [found({}, { time: '9999-12-31T00:00:00Z' }), 'time_invalid'],
      [found(), 'wrong_subject', { kind: 'metric' }],
    ]
    for (const [body, code, to] of cases) {
      org = await tenant()
      expect(
        await codes({ ...body, ...('orgId' in body && body.orgId !== other.orgId && { orgId: org.orgId }) }, to),
        code,
      ).to.deep.equal([code])
    }
    expect((await other.get('/resources/count')).body.data.count).to.equal(0)
  })

  it('becomes a dead letter when its values are none: numbers, days, texts, providers', async () => {
    const cases: [() => object, string, To?][] = [
      [() => found({ sizeGB: '8' }), 'validation_failed'],
      [() => found({ unitCount: 2 ** 53 }), 'validation_failed'],
      [() => found({ resourceUid: '' }), 'validation_failed'],
      [() => found({ name: 'x'.repeat(2049) }), 'validation_failed'],
      [() => found({ tags: ['a'] }), 'validation_failed'],
      [() => found({ type: "aws-ec2'; --" }), 'validation_failed'],
      [() => found({ type: 'gcp-vm' }), 'type_mismatch'],
      [() => found({ specs: { a: 'x'.repeat(66_000) } }), 'specs_too_large'],
      [() => found({ name: 'a\0b' }), 'text_invalid'],
      [() => found({ tags: { 'a\ud800': 'b' } }), 'text_invalid'],
      [() => found({ resourceUid: unindexable, cloudAccountId: 'acct-1' }), 'data_refused'],
      [() => billed({ costUSD: '1e999' }), 'amount_invalid', { kind: 'billing' }],
      [() => billed({ costUSD: 'NaN' }), 'amount_invalid', { kind: 'billing' }],
      [() => billed({ costUSD: 1e300 }), 'amount_invalid', { kind: 'billing' }],
      [() => billed({ usageDate: '2026-02-30' }), 'date_invalid', { kind: 'billing' }],
      [() => billed({ usageDate: '1969-12-31' }), 'date_invalid', { kind: 'billing' }],
      [() => billed({ provider: 'oracle' }), 'provider_unsupported', { kind: 'billing' }],
      [() => billed({ BillingCurrency: 'CAD' }), 'currency_without_rate', { kind: 'billing' }],
      [() => billed({ Tags: '{' }), 'tags_invalid', { kind: 'billing' }],
      [() => envelope('metric.sample', sample({ ts: '2101-01-01T00:00:00Z' })), 'time_invalid', { kind: 'metric' }],
      [() => envelope('metric.sample', sample({ value: 1e16 })), 'validation_failed', { kind: 'metric' }],
      [() => envelope('metric.sample', sample({ metric: 'constructor' })), 'validation_failed', { kind: 'metric' }],
      [() => envelope('metric.sample', { resourceUid: 'i-1', samples: [] }), 'validation_failed', { kind: 'metric' }],
    ]
    for (const [make, code, to] of cases) {
      org = await tenant()
      const letters = await setAside(make(), to)
      expect(
        letters.map((letter) => letter.code),
        `${code}: ${letters[0]?.reason}`,
      ).to.deep.equal([code])
    }
    expect(
      await codes(
        `{"id":"n","type":"billing.line","schemaVersion":1,"orgId":"${org.orgId}","time":"2026-01-15","data":{"lineId":"a","cloudAccountId":"acct-1","usageDate":"2026-01-15","provider":"aws","costUSD":1e999}}`,
        { kind: 'billing' },
      ),
    ).to.include('validation_failed')
  })

  it('never stops its lane, however deep it is nested', async () => {
    const nest = (open: string) =>
      JSON.stringify(found({ specs: { deep: 'HERE' } })).replace('"HERE"', deep(100_000, open))
    for (const open of ['[', '{"a":']) {
      expect((await codes(nest(open))).slice(-1)).to.deep.equal(['too_deep'])
      expect((await codes(`[${nest(open)},5]`)).slice(-1)).to.deep.equal(['too_deep'])
    }
    expect((await codes(deep(1_000_000, '['))).slice(-1)).to.deep.equal(['too_deep'])
    expect((await org.get('/resources/count')).body.data.count).to.equal(0)
  })

  it('never stops its lane by what its reason, its subject or its headers hold', async () => {
    const cut = `${'x'.repeat(79)}\u{1f600}`
    expect(await codes(billed({ provider: cut }), { kind: 'billing' })).to.deep.equal(['provider_unsupported'])
    const odd = await setAside({
      ...found(),
      schemaVersion: 7,
      type: `${'x'.repeat(127)}\u{1f600}`,
      id: `${'y'.repeat(255)}\u{1f600}`,
    })
    expect(odd.map(({ code, type }) => [code, type.length])).to.deep.include(['validation_failed', 128])
    for (const name of [
      '=AA',
      '=AGEA',
      base64url('x\0'.repeat(500)),
      base64url('\u20ac'.repeat(900)),
      '=',
      '=!!',
      '\u20ac',
    ]) {
      org = await tenant()
      expect(await codes(found(), { org: name }), name).to.deep.equal(['foreign_organization'])
      expect(
        (await codes(envelope('metric.sample', sample()), { kind: 'metric', place: name })).every(
          (code) => code === 'place_invalid',
        ),
        name,
      ).to.equal(true)
      expect(await codes(found(), { kind: name }), name).to.include('wrong_subject')
    }
    org = await tenant()
    const strange = {
      'Tidemark-Reminder': '=AA.=AA.=AA.=AA',
      'Tidemark-Reply': 'a b',
      'Tidemark-Deadline': '2020-01-01T00:00:00Z',
    }
    expect(await codes(found({ type: 'gcp-vm' }), { headers: strange })).to.deep.equal(['type_mismatch'])
    expect(await codes('{', { headers: { 'X-Any': `a\u0001${'\u20ac'.repeat(3000)}` } })).to.include('malformed_json')
    expect(await codes(found({ cloudAccountId: '\u20ac'.repeat(1024) }))).to.include('place_invalid')
  })

  it('is taken with headers of ours, which mean nothing on a producer’s message', async () => {
    const headers = {
      'Tidemark-Reminder': 'refresh.current.stalled.5',
      'Tidemark-Reply': '>',
      'Tidemark-Deadline': '2020-01-01T00:00:00Z',
    }
    expect(await codes(found({ resourceUid: 'mine' }), { headers })).to.deep.equal([])
    expect((await org.get('/resources/by-uids?uids=mine')).body.data).to.have.length(1)
  })

  it('sets aside a bad one among many alone, and takes the others', async () => {
    const many = Array.from({ length: 400 }, (_, i) => found({ resourceUid: `i-${i}` }))
    many[7] = found({ resourceUid: unindexable })
    many[8] = found({ type: 'gcp-vm', resourceUid: 'i-8' })
    many[9] = { ...found(), schemaVersion: 3 }
    await setAside(many)
    await until('the others', async () => (await org.get('/resources/count')).body.data.count === 397)
    const letters = await setAside('{')
    const reasons = ['data_refused', 'malformed_json', 'type_mismatch', 'validation_failed']
    expect(letters.map(({ code }) => code)).to.have.members(reasons)
  })

  it('is taken up to 1 MB and 8 MB, alone, in arrays and under another account’s subject', async () => {
    const big = (bytes: number) => found({ resourceUid: `big-${bytes}`, junk: 'x'.repeat(bytes) })
    const uids = async () => (await org.get('/resources?limit=100')).body.data.map((r: any) => r.uid).toSorted()
    expect(await codes(big(1_000_000))).to.deep.equal([])
    expect(await codes(big(8_000_000))).to.deep.equal([])
    expect(await codes(big(900_000), { place: 'elsewhere' })).to.deep.equal([])
    expect(await uids()).to.deep.equal(['big-1000000', 'big-8000000', 'big-900000'])
    expect(await codes(big(8_000_001), { place: 'elsewhere' })).to.deep.equal(['wrong_subject'])
    const swollen = JSON.stringify(found({ resourceUid: 'swollen', junk: 'HERE' })).replace(
      '"HERE"',
      `[${'1e20,'.repeat(1_500_000)}1]`,
    )
    expect(await codes(swollen, { place: 'elsewhere' })).to.deep.equal(['wrong_subject', 'wrong_subject'])
    org = await tenant()
    const lineOf = (_: unknown, i: number) =>
      billed({ lineId: `${'\u20ac'.repeat(500)}${i}`, costUSD: '0.01', x: 'y'.repeat(200) })
    const lines = Array.from({ length: 3500 }, lineOf)
    expect(Buffer.byteLength(JSON.stringify(lines))).to.be.within(7e6, 8e6)
    expect(await codes(lines, { kind: 'billing' })).to.deep.equal([])
    const [stored] = await org.facts('SELECT uniqExact(x_LineId) AS n FROM cost_fact WHERE x_OrgId = {org:String}')
    expect(Number(stored.n)).to.equal(3500)
    const refused = Array.from({ length: 5000 }, () => ({ ...found(), schemaVersion: 9, junk: 'x'.repeat(1000) }))
    expect(new Set(await codes(refused))).to.deep.equal(new Set(['validation_failed']))
  })

  it('takes names that reach into prototypes as names', async () => {
    const tags = JSON.parse('{"__proto__":"p","constructor":"c","toString":"t"}') as object
    expect(await codes(found({ resourceUid: 'proto', tags, specs: tags }))).to.deep.equal([])
    const [shown] = (await org.get('/resources/by-uids?uids=proto')).body.data
    expect(Object.entries(shown.tags)).to.have.deep.members(Object.entries(tags))
    expect(({} as any).p).to.equal(undefined)
    expect(await codes(billed({ resourceType: 'constructor', lineId: 'c' }), { kind: 'billing' })).to.deep.equal([])
    expect(await codes(billed({ provider: 'constructor', lineId: 'd' }), { kind: 'billing' })).to.deep.equal([
      'provider_unsupported',
    ])
  })
})
