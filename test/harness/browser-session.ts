/** A browser with its one cookie, as far as the product's own pages use it. */
import { asService } from '#http/store/tenant.ts'
import { operator } from '#config/command/line/operator.ts'
import { consoleLink } from '#config/secrets/sign-in-link.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { ask, type Founder } from '#test/harness/people.ts'
import { testProduct, type Answer } from '#test/harness/product.ts'

export interface Browser {
  /** What the cookie holds; empty without one. */
  token: string
  /** The name of the cookie: with the port of the product. */
  name: string
  /** Asks as a page of the product does. `headers` replace those of such a page. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

const path = '/auth/browser'

export async function browser(): Promise<Browser> {
  const { url } = await testProduct()
  const name = `tidemark_session_${new URL(url).port}`
  const made: Browser = {
    token: '',
    name,
    async post(place, body, headers = {}) {
      const cookie = made.token === '' ? {} : { Cookie: `other=1; ${name}=${made.token}; last=2` }
      const page = { Origin: url, 'Sec-Fetch-Site': 'same-origin', ...cookie, ...headers }
      const answer = await ask('POST', `${path}${place}`, { headers: page, ...(body !== undefined && { body }) })
      const set = answer.headers.get('set-cookie')
      if (set?.startsWith(`${name}=`)) made.token = set.slice(name.length + 1).split(';')[0]!
      return answer
    },
  }
  return made
}

/** Status and code of a refusal. */
export const refused = ({ status, body }: Answer): string => `${status} ${body?.code}`

/** Gives a person a link, as the command does. What the audit trail is to say of it. */
export async function givenLink({ userId: id, email, orgId }: Founder) {
  const { em, now } = (await testProduct()).product.get(tokens.identity)
  const wanted = { user: { id, email }, orgId, goodMs: 60_000 }
  const make = () => em().transactional((tx) => consoleLink(tx, 'http://localhost', wanted, operator, now()))
  const { expiresAt } = await asService(make)
  return [['sign_in_link_created', { expiresAt: expiresAt.toISOString() }]] as const
}
