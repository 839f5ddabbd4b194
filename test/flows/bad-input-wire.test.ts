import { expect } from 'chai'
import { raw } from '#test/fuzz/raw.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

describe('bad input in headers and on the wire', () => {
  let org: Tenant
  let other: Tenant
  before(async () => {
    org = await (await tenant()).signedIn()
    other = await tenant()
  })

  it('answers strange tokens with 401, and organizations that are not the token’s with 403 [GEN-10]', async () => {
    const get = (headers: Record<string, string>) => fetch(`${org.url}/resources`, { headers })
    const { token } = org
    const bad = [
      '',
      'Bearer',
      token,
      `Basic ${token}`,
      `Bearer ${token}x`,
      `Bearer ${token} ${token}`,
      `Bearer ${token.slice(0, -1)}`,
    ]
    for (const value of [
      ...bad,
      'Bearer eyJhbGciOiJub25lIn0.e30.',
      "Bearer ' OR 1=1 --",
      `Bearer ${'a'.repeat(9000)}`,
    ]) {
      const r = await get({ Authorization: value })
      expect([r.status, r.headers.get('www-authenticate')], value).to.deep.equal([401, 'Bearer'])
    }
    for (const id of [other.orgId, 'garbage', "' OR 1=1 --", '*', '\u00ff', 'x'.repeat(5000)]) {
      const r = await get({ Authorization: `Bearer ${token}`, 'X-Org-Id': id })
      expect([r.status, ((await r.json()) as any).code], id).to.deep.equal([403, 'not_a_member'])
    }
  })

  it('answers what is hardly HTTP with 4xx and hangs up, and serves the next one [LIM-06]', async () => {
    const auth = `Host: x\r\nAuthorization: Bearer ${org.token}\r\n`
    const post = `POST /resources/by-uids HTTP/1.1\r\n${auth}Content-Type: application/json\r\n`
    const cases: Record<string, [string, number[]]> = {
      'length and chunked': [
        `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
        [400],
      ],
      'two lengths': [`${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, [400]],
      'a length that is none': [`${post}Content-Length: x\r\n\r\n{}`, [400]],
      'a negative length': [`${post}Content-Length: -1\r\n\r\n{}`, [400]],
      'a length too short': [`${post}Content-Length: 2\r\n\r\n{"uids":[]}`, [400]],
      'a length too long': [`${post}Content-Length: 50\r\n\r\n{}`, [400]],
      'a chunk that is none': [`${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`, [400]],
      'an unknown transfer coding': [`${post}Transfer-Encoding: gzip\r\n\r\n{}`, [400, 415, 501]],
      'a folded header': [`GET /resources HTTP/1.1\r\n${auth}X-A: b\r\n c\r\n\r\n`, [200, 400]],
      'bare line feeds': [`GET /resources HTTP/1.1\n${auth.replaceAll('\r', '')}\n`, [400]],
      'NUL in a header': [`GET /resources HTTP/1.1\r\n${auth}X-A: b\0c\r\n\r\n`, [400]],
      'a space before the colon': [`GET /resources HTTP/1.1\r\n${auth}X-A : b\r\n\r\n`, [400]],
      'no host': ['GET /resources HTTP/1.1\r\n\r\n', [400]],
      'headers of 20 kB': [`GET /resources HTTP/1.1\r\n${auth}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, [431]],
      'a target of 20 kB': [`GET /resources?search=${'a'.repeat(20_000)} HTTP/1.1\r\n${auth}\r\n`, [431]],
      'an unknown version': [`GET /resources HTTP/9.9\r\n${auth}\r\n`, [400, 505]],
      'an unknown method': [`FETCH /resources HTTP/1.1\r\n${auth}\r\n`, [400]],
      'a tunnel': [`CONNECT internal:5432 HTTP/1.1\r\n${auth}\r\n`, []],
      'an unknown expectation': [`GET /resources HTTP/1.1\r\nExpect: miracles\r\n${auth}\r\n`, [417]],
      TLS: ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
    }
    for (const [name, [bytes, expected]] of Object.entries(cases)) {
      const { statuses, text } = await raw(org.url, Buffer.from(bytes, 'latin1'))
      expect(statuses.length, `${name}: ${text}`).to.be.at.least(Math.min(expected.length, 1))
      expect(
        statuses.filter((status) => status >= 500 && status !== 505 && status !== 501),
        name,
      ).to.deep.equal([])
      if (expected.length > 0) expect(statuses.at(-1), `${name}: ${text}`).to.be.oneOf(expected)
      expect((await org.get('/resources/count')).status, name).to.equal(200)
    }
    const head = await raw(org.url, `HEAD /resources HTTP/1.1\r\n${auth}X-A: ${'a'.repeat(20_000)}\r\n\r\n`)
    expect(head.text).to.match(/^HTTP\/1\.1 431 [^{]*\r\n\r\n$/)
  })
})
