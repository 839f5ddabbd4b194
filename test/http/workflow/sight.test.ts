/** Who may see workflows, and do what about them. */
import { expect } from 'chai'
import { permissions } from '#http/identity/organization/role.ts'
import { workflows } from '#http/workflow/routes.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'
import { recommended } from '#test/harness/recommendation.ts'
import { plantedJobs } from '#test/harness/workflow.ts'
import { sample } from '#test/harness/tier.ts'

const told = ({ status, body }: Answer) => [status, body?.code]
const step = 'stop%2Fapprove%2F1'
/** A route with these ids in its path. */
const at = (path: string, jobID: string, recID: string) =>
  path.replace(':recID', recID).replace(':jobID', jobID).replace(':stepID', step).replace(':stepName', 'approval')
const named = workflows.map(({ method, path, permission }) => `${permission} ${method} ${path}`)

const decisions = (family: string) => [
  `service.update POST ${family}/:jobID/cancel`,
  ...['approve', 'reject'].flatMap((verdict) => [
    `admin POST ${family}/:jobID/steps-by-id/:stepID/${verdict}`,
    `admin POST ${family}/:jobID/steps/:stepName/${verdict}`,
  ]),
]

describe('rights on workflows', () => {
  let org: Tenant
  let job: string
  let rec: string
  before(async () => {
    org = await tenant()
    ;[rec] = (await recommended(org, {})) as [string]
    ;[job] = (await plantedJobs(org, { recommendation_id: rec })) as [string]
  })
  const of = (who: Pick<Founder, 'orgId'>): Founder => ({ accessToken: org.token, ...who }) as Founder

  it('are: view to look, create to begin, update to cancel, and to be an admin to approve and reject [S-28]', () => {
    expect(named).to.deep.equal([
      'service.view GET /recommendations/:recID/workflow',
      'service.create POST /recommendations/:recID/workflow',
      'service.view GET /workflows/pending-approval',
      'service.view GET /workflows',
      'service.view GET /workflows/:jobID',
      ...decisions('/workflows'),
      'service.create POST /remediation-jobs',
      'service.view GET /remediation-jobs',
      'service.view GET /remediation-jobs/:jobID',
      'service.view GET /remediation-jobs/:jobID/audit',
      ...decisions('/remediation-jobs'),
    ])
  })

  it('are asked of everyone: viewers only look, and editors approve and reject nothing [S-28] [RBAC-02]', async () => {
    const people = { viewer: await colleague(of(org), 'viewer'), editor: await colleague(of(org), 'editor') }
    const refused = { viewer: ['service.create', 'service.update', 'admin'], editor: ['admin'] }
    for (const role of ['viewer', 'editor'] as const)
      for (const { method, path, permission } of sample(workflows, 12)) {
        const isRefused = refused[role].includes(permission)
        // What is let in is asked of what there is not: nothing here is to begin or to end.
        const place = at(path, isRefused ? job : 'none', isRefused ? rec : 'none')
        const body = path === '/remediation-jobs' && method === 'POST' ? bodyOf('none') : undefined
        const answer = await ask(method, place, { token: people[role].accessToken, ...(body && { body }) })
        const expected = isRefused
          ? [403, 'forbidden']
          : place === path && method === 'GET'
            ? [200, undefined]
            : [404, 'not_found']
        expect(told(answer), `${role} ${method} ${place}`).to.deep.equal(expected)
      }
  })

  it('are none without the one permission that is asked, whatever else a role has [RBAC-03]', async () => {
    const make = async (some: readonly string[]) => {
      const role = { name: `Some ${some.length}`, permissions: some }
      return colleague(of(org), (await org.send('POST', '/roles', role)).body.data.id)
    }
    const all = await make(permissions)
    for (const { method, path } of workflows.filter(({ permission }) => permission === 'admin'))
      expect(told(await ask(method, at(path, job, rec), { token: all.accessToken })), path).to.deep.equal([
        403,
        'forbidden',
      ])
  })

  it('of a token of a person are those that the person has now', async () => {
    const ben = await colleague(of(org), 'admin')
    const token = (
      await ask('POST', '/settings/personal-access-tokens', { token: ben.accessToken, body: { name: 'ci' } })
    ).body.data.token
    const approve = () => ask('POST', `/workflows/none/steps-by-id/${step}/approve`, { token })
    expect(told(await approve())).to.deep.equal([404, 'not_found'])
    await ask('PATCH', `/members/${ben.userId}`, { token: org.token, body: { roleID: 'editor' } })
    expect(told(await approve())).to.deep.equal([403, 'forbidden'])
  })

  it('end where the sight of a role ends: what it does not see is in no list, and 404 whatever is asked of it', async () => {
    const own = await tenant()
    const [mine, ofTeam, foreign] = await recommended(
      own,
      { resource_uid: 'i-1' },
      { resource_uid: 'i-2', cloud_account_id: 'acct-2' },
      { resource_uid: 'i-3', cloud_account_id: 'acct-3' },
    )
    const about = (uid: string, account: string, recommendation: string | undefined) => ({
      resource_uid: uid,
      cloud_account_id: account,
      recommendation_id: recommendation!,
    })
    const ids = await plantedJobs(
      own,
      about('i-1', 'acct-1', mine),
      about('i-2', 'acct-2', ofTeam),
      about('i-3', 'acct-3', foreign),
    )
    const team = (await own.send('POST', '/teams', { name: 'Core' })).body.data.id
    await own.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-2'] })
    const reportScope = { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [team] }
    const some = ['service.view', 'service.create', 'service.update']
    const role = (await own.send('POST', '/roles', { name: 'Narrow', permissions: some, reportScope })).body.data.id
    const { accessToken: token } = await colleague({ accessToken: own.token, orgId: own.orgId } as Founder, role)
    for (const family of ['/workflows', '/remediation-jobs']) {
      const { items, total } = (await ask('GET', family, { token })).body.data
      expect(
        items.map(({ id }: any) => id),
        family,
      ).to.have.members(ids.slice(0, 2))
      expect(total, family).to.equal(2)
    }
    const pending = await ask('GET', '/workflows/pending-approval', { token })
    expect(pending.body.data.map(({ jobID }: any) => jobID)).to.have.members(ids.slice(0, 2))
    expect(pending.headers.get('x-total-count')).to.equal('2')
    expect((await ask('GET', `/workflows/${ids[1]}`, { token })).status).to.equal(200)
    for (const { method, path, permission } of workflows) {
      if (permission === 'admin' || (!path.includes(':') && method === 'GET')) continue
      const body = path === '/remediation-jobs' ? bodyOf(foreign!) : undefined
      const answer = await ask(method, at(path, ids[2]!, foreign!), { token, ...(body && { body }) })
      expect(told(answer), `${method} ${path}`).to.deep.equal([404, 'not_found'])
    }
  })

  it('end where the organization ends: ids of another one are 404 on every route, and nothing is said of them [GEN-10]', async () => {
    const other = await tenant()
    for (const { method, path } of workflows.filter(({ path: one }) => one.includes(':'))) {
      const answer = await other.send(method, at(path, job, rec), method === 'POST' ? {} : undefined)
      const unknown = await other.send(method, at(path, 'none', 'none'), method === 'POST' ? {} : undefined)
      expect(told(answer), `${method} ${path}`).to.deep.equal([404, 'not_found'])
      expect(answer.body.detail, `${method} ${path}`).to.equal(unknown.body.detail)
    }
    expect(told(await other.send('POST', '/remediation-jobs', bodyOf(rec)))).to.deep.equal([404, 'not_found'])
    expect((await other.get(`/workflows?recommendation_id=${rec}`)).body.data.items).to.deep.equal([])
    expect((await org.get(`/workflows/${job}`)).body.data.status).to.equal('awaiting_user')
  })
})

const bodyOf = (recommendationID: string) => ({ recommendationID, subjectType: 'resource', subjectID: 'i-1' })
