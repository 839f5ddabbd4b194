import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Keywords } from '#http/edge/request/keywords.ts'
import type { Route } from '#http/edge/route.ts'
import { takesBody } from '#http/edge/route.ts'
import { routes } from '#http/index.ts'
import { exampleOf } from '#test/harness/place.ts'
import { testProduct, type Answer } from '#test/harness/product.ts'
import { sample } from '#test/harness/tier.ts'
import { directory, madeBy, scimJson, type Directory } from '#test/harness/scim.ts'

const all = routes.filter(({ permission }) => permission === 'scim')
const nameOf = ({ method, path }: Route) => `${method} ${path}`

describe('bad input of a directory', () => {
  let d: Directory
  let userId: string
  before(async () => {
    d = await directory()
    userId = (await madeBy(d)).id
  })
  const placed = ({ path }: Route, id = userId) =>
    path
      .replace('/scim/v2', '')
      .replace(/:userID/, encodeURIComponent(id))
      .replace(/:groupID/, id === userId ? 'editor' : encodeURIComponent(id))
      .replace(/:name/, encodeURIComponent(id))
  /** Its status, once it is said in the words of SCIM. */
  const said = ({ status, body, headers }: Answer, about: string): number => {
    if (status < 400) return status
    const type = headers.get('content-type')?.split(';')[0]
    expect([type, body.status, typeof body.detail], about).to.deep.equal([scimJson, String(status), 'string'])
    return status
  }

  it('of any text in a query is taken for what it is, or refused by name, and breaks nothing', async () => {
    const odd = [
      'x'.repeat(12_000),
      '\u{1f600}'.repeat(1000),
      'a\u0000b',
      `'; drop table member; --`,
      '%',
      '\\',
      '{{x}}',
    ]
    const filters = [`userName eq "'; drop table member; --"`, 'userName co "%_\\\\"', '__proto__ pr']
    const texts = [...odd, ...filters, `${'('.repeat(2000)}active pr`]
    for (const route of all.filter(({ query }) => query)) {
      for (const name of Object.keys((route.query as Keywords).properties ?? {})) {
        for (const text of sample(texts, 4)) {
          const at = `${placed(route)}?${name}=${encodeURIComponent(text)}`
          const status = said(await d.send('GET', at), at.slice(0, 80))
          expect([200, 400], at.slice(0, 80)).to.include(status)
        }
        const twice = await d.send('GET', `${placed(route)}?${name}=a&${name}=b`)
        expect(said(twice, name), `${name} twice`).to.equal(400)
      }
    }
    expect((await d.send('GET', `/Users/${userId}`)).body.active, 'still there').to.equal(true)
  })

  it('of any id is nobody', async () => {
    const ids = [
      'none',
      '%',

      '../Users',
      "' or 1=1 --",
      'a\u0000b',
      'x'.repeat(64),
      '00000000-0000-0000-0000-000000000000',
    ]
    for (const route of all.filter(({ path }) => path.includes(':'))) {
      for (const id of sample(ids, 4)) {
        const body = takesBody(route) ? exampleOf(route.body) : undefined
        const about = `${nameOf(route)} ${id}`
        expect([400, 404], about).to.include(said(await d.send(route.method, placed(route, id), body), about))
      }
    }
  })

  it('of bodies is refused where they are too large, compressed, deep, no JSON or reach into prototypes', async () => {
    const { url } = await testProduct()
    const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`
    // One way of reading bodies is that of all.
    for (const route of sample(all.filter((one) => one.body))) {
      const sent = async (body: string, headers: Record<string, string> = {}) =>
        said(await d.send(route.method, placed(route), body, headers), nameOf(route))
      expect(await sent(`{"userName":"${'x'.repeat(1024 * 1024)}"}`), nameOf(route)).to.equal(413)
      const others = [
        '{',

        '"x"',
        'null',
        '5',
        deep,
        '{"__proto__":{"a":1}}',
        '{"constructor":1}',
        '{"userName":"a\\u0000"}',
      ]
      for (const body of others)
        expect([400, 200], `${nameOf(route)} ${body.slice(0, 30)}`).to.include(await sent(body))
      const zipped = await fetch(`${url}/scim/v2${placed(route)}`, {
        method: route.method,
        headers: { Authorization: `Bearer ${d.token}`, 'Content-Type': scimJson, 'Content-Encoding': 'gzip' },
        body: gzipSync('{}'),
      })
      expect(zipped.status, nameOf(route)).to.equal(415)
    }
  })

  it('of any kind where another is expected is refused, and nothing of it happens', async () => {
    const before = (await d.send('GET', `/Users/${userId}`)).body.meta.version
    const values = [5, true, null, [], {}, ['x'], { a: 'x' }, 'x'.repeat(10_000), [[[]]], [{ value: {} }]]
    for (const value of values) {
      for (const Operations of [value, [value], [{ op: value }], [{ op: 'replace', path: value, value: 'x' }]]) {
        const { status, body } = await d.send('PATCH', `/Users/${userId}`, { Operations })
        expect(status, JSON.stringify([Operations, body]).slice(0, 200)).to.equal(400)
      }
      const members = await d.send('PUT', '/Groups/admin', { displayName: value, members: [5] })
      expect(said(members, 'members')).to.equal(400)
    }
    expect((await d.send('GET', `/Users/${userId}`)).body.meta.version).to.equal(before)
  })
})
