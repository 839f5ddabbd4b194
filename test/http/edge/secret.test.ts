import { expect } from 'chai'
import type { Keywords } from '#http/edge/request/keywords.ts'
import type { Route } from '#http/edge/route.ts'
import { routes, site } from '#http/index.ts'
import { noEdge } from '#test/harness/site.ts'
import { ask } from '#test/harness/people.ts'

const all = site(routes, { version: '1', ready: async () => [], hooks: true, within: noEdge })
const nameOf = ({ method, path }: Route) => `${method} ${path}`

/** Every property that a schema names, at any depth. */
function namesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn)
  if (typeof schema !== 'object' || schema === null) return []
  const own = Object.keys((schema as Keywords).properties ?? {})
  return [...own, ...Object.values(schema).flatMap(namesIn)]
}

/** What is a secret by its name, or a link that stands for one. */
const telling = /^(?:.*token|.*secret|password|otp|.*recoverycodes?|downloadurl|redirecturl)$/i

describe('answers with a token, a secret or a link that stands for one', () => {
  const secret = all.filter((route) => route.secret)

  it('are declared as such wherever a name in them says so, and whatever signs in', () => {
    const named = all.filter(({ reply }) => namesIn(reply).some((name) => telling.test(name)))
    expect(named.map(nameOf)).to.include.members(['POST /auth/login', 'POST /auth/refresh', 'POST /reports/export'])
    expect(named.filter((route) => !route.secret).map(nameOf)).to.deep.equal([])
    const auth = all.filter(({ path, secret: isDeclared }) => path.startsWith('/auth/') && !isDeclared)
    expect(auth.map(nameOf)).to.deep.equal([])
    expect(secret.map(nameOf)).to.include.members(['GET /exports/:exportID', 'POST /settings/personal-access-tokens'])
  })

  for (const route of secret) {
    it(`are kept by nobody on the way: ${nameOf(route)}`, async () => {
      const { headers } = await ask(route.method, route.path.replaceAll(/:\w+/g, 'x'))
      expect(headers.get('cache-control')).to.match(/\bno-store\b/)
    })
  }
})
