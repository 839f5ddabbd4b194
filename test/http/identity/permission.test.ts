import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import {
  customRights,
  everything,
  permissions,
  systemRights,
  type Permission,
} from '#http/identity/organization/role.ts'
import { nobody } from '#http/edge/scope.ts'
import { routes, site } from '#http/index.ts'
import { permit } from '#http/identity/organization/permit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Route } from '#http/edge/route.ts'
import { noEdge } from '#test/harness/site.ts'
import { ask, colleague, founder, type Founder } from '#test/harness/people.ts'
import { isLink } from '#test/harness/place.ts'
import { testProduct } from '#test/harness/product.ts'
import { sample } from '#test/harness/tier.ts'

const all = site(routes, { version: '1', ready: async () => [], within: noEdge })
const accesses: readonly string[] = ['public', 'user', 'session', 'admin', 'scim', 'internal', ...permissions]
const nameOf = ({ method, path }: Route) => `${method} ${path}`
const granted = routes.filter(({ permission }) => (permissions as readonly string[]).includes(permission))
const admins = routes.filter(({ permission }) => permission === 'admin')
const directories = routes.filter(({ permission }) => permission === 'scim')
const sessions = routes.filter(({ permission }) => permission === 'session')
const pathOf = ({ path }: Route) => path.replaceAll(/:\w+/g, 'none')

const custom = (...some: Permission[]): Caller => ({
  ...customRights({ id: 'r1', permissions: some, reportScope: everything }),
  orgId: 'o1',
  userId: 'ana',
  kind: 'session',
  principal: 'session:s1',
})

/** `let in`, or the code of the refusal. */
function decided(route: Route, caller: Caller): string {
  try {
    permit(route, caller)
    return 'let in'
  } catch (error) {
    return error instanceof Fault ? `${error.kind} ${error.code}` : String(error)
  }
}

/** What every route of a list decides of one caller, without repetition. */
const decisions = (list: readonly Route[], caller: Caller) => [...new Set(list.map((route) => decided(route, caller)))]

const sent = ({ method }: Route) => (method === 'GET' || method === 'DELETE' ? {} : { body: {} })

/** The status and code of a route for a token. */
async function asked(route: Route, token?: string): Promise<string> {
  const { status, body } = await ask(route.method, pathOf(route), { ...sent(route), ...(token && { token }) })
  return status >= 400 ? `${status} ${body.code}` : String(status)
}

describe('permissions', () => {
  it('are declared by every route, and the document says the same [RBAC-01]', async () => {
    expect(all.filter(({ permission }) => !accesses.includes(permission)).map(nameOf)).to.deep.equal([])
    const { body } = await ask('GET', '/openapi.json')
    expect(body.security).to.deep.equal([{ bearer: [] }])
    const told = Object.entries<any>(body.paths).flatMap(([path, item]) =>
      Object.entries<any>(item).map(([method, { security, 'x-permission': permission }]) => [
        `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        security === undefined || 'service' in (security[0] ?? {})
          ? permission
          : security.length === 0
            ? (permission ?? 'public')
            : 'other',
      ]),
    )
    const declared = all.filter(({ hidden }) => !hidden).map((route) => [nameOf(route), route.permission])
    expect(told).to.have.deep.members(declared)
  })

  it('let in a role with the one that a route needs, and refuse one with the 15 others [RBAC-01] [RBAC-03]', () => {
    expect(granted.length).to.be.above(25)
    for (const route of granted) {
      const needed = route.permission as Permission
      const others = permissions.filter((one) => one !== needed)
      expect(others).to.have.length(15)
      expect(decided(route, custom(needed)), nameOf(route)).to.equal('let in')
      expect(decided(route, custom(...others)), nameOf(route)).to.equal('forbidden forbidden')
    }
  })

  it('are not what admin routes ask for: all 16 do not open them [RBAC-02]', () => {
    expect(admins.length).to.be.above(10)
    const as = (role: 'owner' | 'admin' | 'editor' | 'viewer') => ({ ...custom(), ...systemRights(role) })
    expect(decisions(admins, custom(...permissions))).to.deep.equal(['forbidden forbidden'])
    for (const role of ['editor', 'viewer'] as const)
      expect(decisions(admins, as(role)), role).to.deep.equal(['forbidden forbidden'])
    for (const role of ['owner', 'admin'] as const) expect(decisions(admins, as(role)), role).to.deep.equal(['let in'])
  })

  it('are of no use to tokens of services, to nobody, and outside an organization', () => {
    const closed = all.filter(({ permission }) => !['public', 'internal', 'scim'].includes(permission))
    const service = { ...custom(), kind: 'internal' } as const
    const shared = closed.filter(({ alsoInternal }) => alsoInternal)
    expect(shared.map(nameOf)).to.deep.equal(['POST /recommendations/:recID/viewed'])
    expect(decisions(shared, service)).to.deep.equal(['let in'])
    expect(decisions(shared, { ...service, orgId: '' })).to.deep.equal(['forbidden organization_required'])
    const others = closed.filter((route) => !shared.includes(route))
    expect(decisions(others, { ...service, ...custom(...permissions), kind: 'internal' })).to.deep.equal([
      'forbidden forbidden',
    ])
    const internal = all.filter(({ permission }) => permission === 'internal')
    expect([decisions(internal, service), decisions(internal, custom(...permissions))]).to.deep.equal([
      ['let in'],
      ['forbidden forbidden'],
    ])
    const scoped = closed.filter(({ orgOptional }) => !orgOptional)
    expect(decisions(granted, nobody)).to.deep.equal(['forbidden organization_required'])
    const homeless = { ...custom(...permissions), isAdmin: true, orgId: '' }
    expect(decisions(scoped, homeless)).to.deep.equal(['forbidden organization_required'])
    const optional = closed.filter(({ orgOptional }) => orgOptional).map(nameOf)
    expect(optional).to.have.members([
      'POST /auth/logout',
      'GET /auth/me',
      'GET /auth/me/export',
      'DELETE /auth/me',
      'GET /auth/second-factor',
      'POST /auth/second-factor',
      'POST /auth/second-factor/confirm',
      'POST /auth/second-factor/disable',
      'POST /auth/password/change',
      'GET /auth/sessions',
      'DELETE /auth/sessions',
      'DELETE /auth/sessions/:sessionID',
      'POST /organisations',
      'GET /organisations',
    ])
  })

  it('are nothing to a session that lacks the second factor its organization demands, but on routes of no organization', () => {
    const closed = all.filter(({ permission }) => !['public', 'internal', 'scim'].includes(permission))
    const lacking = { ...custom(...permissions), isAdmin: true, lacksSecondFactor: true }
    const [scoped, optional] = [closed.filter((r) => !r.orgOptional), closed.filter((r) => r.orgOptional)]
    expect(decisions(scoped, lacking)).to.deep.equal(['forbidden second_factor_required'])
    expect(decisions(optional, lacking)).to.deep.equal(['let in'])
  })

  it('are nothing in an organization that waits for its deletion, but to delete or restore it [GEN-10]', () => {
    const asked = all.filter(({ permission }) => !['public', 'internal', 'scim'].includes(permission))
    const deletesAt = new Date('2026-01-22T10:00:00.000Z')
    const waiting = { ...custom(...permissions), ...systemRights('owner'), deletesAt }
    const scoped = asked.filter((r) => !r.orgOptional)
    const [kept, closed] = [scoped.filter((r) => r.whileClosed), scoped.filter((r) => !r.whileClosed)]
    expect(kept.map(nameOf)).to.deep.equal(['DELETE /organisations/:orgID', 'POST /organisations/:orgID/restore'])
    expect([decisions(kept, waiting), decisions(closed, waiting)]).to.deep.equal([
      ['let in'],
      ['forbidden organization_closed'],
    ])
    expect(decisions(directories, { ...waiting, kind: 'scim' })).to.deep.equal(['forbidden organization_closed'])
  })
})

describe('what is for directories', () => {
  it('is open to the token of one alone, and that opens nothing else', () => {
    const directory = { ...custom(), kind: 'scim' } as const
    expect(directories.length).to.be.above(10)
    expect(decisions(directories, directory)).to.deep.equal(['let in'])
    expect(decisions(directories, { ...directory, orgId: '' })).to.deep.equal(['forbidden organization_required'])
    const others = all.filter(({ permission }) => permission !== 'scim' && permission !== 'public')
    expect(decisions(others, { ...directory, ...systemRights('owner') })).to.deep.equal(['forbidden wrong_scope'])
    for (const kind of ['session', 'pat', 'internal'] as const)
      expect(decisions(directories, { ...custom(), ...systemRights('owner'), kind })).to.deep.equal([
        'forbidden wrong_scope',
      ])
    expect(decisions(directories, nobody)).to.deep.equal(['forbidden wrong_scope'])
  })

  it('answers 401 without a token, in the words of SCIM', async () => {
    for (const route of directories) {
      const { status, headers, body } = await ask(route.method, pathOf(route), sent(route))
      const type = headers.get('content-type')?.split(';')[0]
      expect([type, headers.get('www-authenticate'), status, body.status], nameOf(route)).to.deep.equal([
        'application/scim+json',
        'Bearer',
        401,
        '401',
      ])
    }
  })
})

describe('permissions of the running product', () => {
  let ana: Founder
  before(async () => {
    await testProduct()
    ana = await founder()
  })

  it('are asked of a token: without one, and with a wrong one, closed routes answer 401 [AUTH-13]', async () => {
    const isClosed = ({ permission }: Route) => permission !== 'public' && permission !== 'scim'
    for (const route of sample(all.filter(isClosed), 20)) {
      const { status, headers, body } = await ask(route.method, pathOf(route), sent(route))
      const scheme = headers.get('www-authenticate')?.split(' ')[0]
      const problem = [headers.get('content-type'), scheme, status, body.code]
      expect(problem, nameOf(route)).to.deep.equal(['application/problem+json', 'Bearer', 401, 'unauthenticated'])
    }
    for (const route of sample(all.filter(isClosed), 5))
      expect(await asked(route, 'x.y.z'), nameOf(route)).to.equal('401 invalid_token')
  })

  it('are not asked where a route is open: it answers without a token [AUTH-14]', async () => {
    const open = all.filter(({ permission }) => permission === 'public')
    expect(open.map(nameOf)).to.include.members([
      'POST /auth/login',
      'POST /auth/refresh',
      'GET /.well-known/jwks.json',
      'GET /.well-known/openid-configuration',
    ])
    const byCookie = ['POST /auth/browser/refresh', 'POST /auth/browser/logout']
    for (const route of open) {
      const expected =
        route.method === 'GET' ? '200' : route.form ? '415 unsupported_media_type' : '400 validation_failed'
      // The one may be down, others are opened by their signature or by a cookie (below).
      if (route.path === '/readyz' || isLink(route) || route.refusal || byCookie.includes(nameOf(route))) continue
      expect(await asked(route), nameOf(route)).to.equal(expected)
    }
    expect(await ask('POST', '/auth/browser/refresh', { body: {} })).to.nested.include({
      status: 401,
      'body.code': 'no_session',
    })
    expect((await ask('POST', '/auth/browser/logout', { body: {} })).status).to.equal(204)
    expect(await ask('GET', '/auth/oidc/none/callback')).to.nested.include({
      status: 401,
      'body.code': 'invalid_state',
    })
  })

  it('do not make a person of a token: routes for people refuse it [AUTH-26]', async () => {
    const path = '/settings/personal-access-tokens'
    const made = await ask('POST', path, { token: ana.accessToken, body: { name: 'ci' } })
    const pat = made.body.data.token as string
    expect((await ask('GET', '/resources/count', { token: pat })).status).to.equal(200)
    expect(sessions.map(nameOf)).to.include.members([`POST ${path}`, 'POST /auth/logout', 'POST /organisations'])
    const owner = { ...custom(...permissions), ...systemRights('owner'), kind: 'pat' } as const
    expect(decisions(sessions, owner)).to.deep.equal(['forbidden forbidden'])
    for (const route of sample(sessions, 6)) expect(await asked(route, pat), nameOf(route)).to.equal('403 forbidden')
  })

  it('are none in a new role, and what is granted holds at the next request [RBAC-03] [RBAC-04]', async () => {
    const token = ana.accessToken
    const role = (await ask('POST', '/roles', { token, body: { name: 'Auditor' } })).body.data
    expect(role.permissions).to.deep.equal([])
    const ben = await colleague(ana, role.id)
    // What every route decides is above, without a request.
    const some = [...sample(granted, 5), ...sample(admins, 3)]
    for (const route of some) expect(await asked(route, ben.accessToken), nameOf(route)).to.equal('403 forbidden')

    const grant = await ask('PATCH', `/roles/${role.id}`, { token, body: { permissions: ['service.view'] } })
    expect(grant.status).to.equal(200)
    expect((await ask('GET', '/reports/summary', { token: ben.accessToken })).status).to.equal(200)
    for (const route of some) {
      const answer = await asked(route, ben.accessToken)
      if (route.permission === 'service.view') expect(answer, nameOf(route)).to.not.match(/^40[13]/)
      else expect(answer, nameOf(route)).to.equal('403 forbidden')
    }
  })

  it('change with the role of a member, at the next request [RBAC-02]', async () => {
    const ben = await colleague(ana, 'viewer')
    const body = { name: 'x', provider: 'nowhere', externalID: 'x' }
    const write = async () => (await ask('POST', '/cloud-accounts', { token: ben.accessToken, body })).status
    const roleID = async (to: string) =>
      (await ask('PATCH', `/members/${ben.userId}`, { token: ana.accessToken, body: { roleID: to } })).status
    const answers: unknown[] = [await write()]
    for (const to of ['editor', 'viewer', 'admin']) answers.push(await roleID(to), await write())
    expect(answers).to.deep.equal([403, 200, 400, 200, 403, 200, 400])
    expect((await ask('GET', '/members', { token: ben.accessToken })).status).to.equal(200)
  })
})
