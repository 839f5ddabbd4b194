import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { unlink } from '#config/command/deployment/installation.ts'
import { ask, colleague } from '#test/harness/people.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'
import { executorToken } from '#test/harness/readiness.ts'
import { freshUrl, hook, plantedDeployment, plantedSpace, pushOf, revisionsOf } from '#test/harness/source.ts'
import { deepIt } from '#test/harness/tier.ts'

const codes = ({ body }: { body: any }) => (body.errors ?? []).map((e: any) => `${e.name} ${e.code}`)

describe('a deployment', () => {
  let org: Tenant
  let spaceID: string
  before(async () => {
    org = await tenant()
    spaceID = await plantedSpace(org)
  })

  const given = (fields: object = {}) => ({
    name: 'Shop',
    spaceID,
    repositoryURL: freshUrl(),
    branch: 'main',
    auto_deploy: true,
    ...fields,
  })
  const make = async (fields: object = {}) => {
    const answer = await org.send('POST', '/deployments', given(fields))
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer
  }

  it('is made, shown, listed, changed and removed; its revisions stay [HOOK-07]', async () => {
    const body = given()
    const made = await make(body)
    const { id, createdAt, updatedAt } = made.body.data
    expect(made.headers.get('location')).to.equal(`/deployments/${id}`)
    expect(made.body.data).to.deep.equal({ id, orgID: org.orgId, ...body, createdAt, updatedAt })
    expect((await org.get(`/deployments/${id}`)).body.data).to.deep.equal(made.body.data)
    const { items, total } = (await org.get(`/deployments?search=${body.repositoryURL.slice(-20)}`)).body.data
    expect([items.map((one: any) => one.id), total]).to.deep.equal([[id], 1])
    const [first] = (await hook(pushOf(body.repositoryURL))).body.data.revisionIDs
    const changed = await org.send('PATCH', `/deployments/${id}`, { auto_deploy: false, name: 'Shop 2' })
    expect(changed.body.data).to.include({ name: 'Shop 2', auto_deploy: false, branch: 'main' })
    expect((await hook(pushOf(body.repositoryURL))).body.data.result).to.equal('ignored')
    await org.send('PATCH', `/deployments/${id}`, { auto_deploy: true, branch: 'next' })
    expect((await hook(pushOf(body.repositoryURL))).body.data.result).to.equal('ignored')
    const next = pushOf(body.repositoryURL, undefined, 'refs/heads/next')
    expect((await hook(next)).body.data.result).to.equal('accepted')
    expect(await revisionsOf(org, id)).to.have.length(2)
    expect((await org.send('DELETE', `/deployments/${id}`)).status).to.equal(204)
    expect((await org.get(`/deployments/${id}`)).status).to.equal(404)
    expect((await org.send('DELETE', `/deployments/${id}`)).status).to.equal(404)
    expect((await org.get(`/revisions/${first}`)).body.data.deploymentID).to.equal(id)
    expect((await hook(next)).body.data.result).to.equal('ignored')
    const { items: events } = (await org.get('/security-events?limit=200')).body.data
    expect(events.map((e: any) => e.type).filter((type: string) => type.startsWith('deployment_'))).to.have.members([
      'deployment_created',
      'deployment_changed',
      'deployment_changed',
      'deployment_deleted',
    ])
  })

  it('is refused by pointer where something of it cannot be', async () => {
    const refused = async (fields: object) => codes(await org.send('POST', '/deployments', given(fields)))
    expect(await refused({ spaceID: randomUUID() })).to.deep.equal(['/spaceID unknown'])
    expect(await refused({ repositoryURL: 'shop' })).to.deep.equal(['/repositoryURL format'])
    expect(await refused({ repositoryURL: 'https://ana:pw@example.test/a/b' })).to.deep.equal([
      '/repositoryURL password',
    ])
    for (const repositoryURL of ['https://example.test/a/b%00', 'git@example.test:a/b%0a', 'https://example.test/%1b'])
      expect(await refused({ repositoryURL }), repositoryURL).to.deep.equal(['/repositoryURL format'])
    expect(await refused({ branch: 'a b' })).to.deep.equal(['/branch pattern'])
    expect(await refused({ name: undefined })).to.deep.equal(['/name required'])
  })

  it('runs in a space whose costs its maker sees, for pull requests are told them [RBAC-04]', async () => {
    const foreign = await plantedSpace(org, { account: 'acct-2' })
    const reportScope = { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [] }
    const permissions = ['deployment.create', 'deployment.update']
    const role = (await org.send('POST', '/roles', { name: 'Part', permissions, reportScope })).body.data.id as string
    const { accessToken: token } = await colleague({ orgId: org.orgId }, role)
    const told = ({ status, body }: Answer) => [status, body.code ?? 'ok']
    const create = (fields: object) => ask('POST', '/deployments', { token, body: given(fields) })
    const refused = [403, 'report_scope']
    expect(told(await create({ spaceID: foreign }))).to.deep.equal(refused)
    expect(told(await create({ spaceID: randomUUID() }))).to.deep.equal(refused)
    const own = await create({})
    expect(told(own)).to.deep.equal([201, 'ok'])
    const change = (id: string, body: object) => ask('PATCH', `/deployments/${id}`, { token, body })
    expect(told(await change(own.body.data.id, { spaceID: foreign }))).to.deep.equal(refused)
    const { id } = (await make({ spaceID: foreign })).body.data
    expect(told(await change(id, { repositoryURL: freshUrl() }))).to.deep.equal(refused)
    expect(told(await change(own.body.data.id, { name: 'Mine' }))).to.deep.equal([200, 'ok'])
  })

  it('is never shown with a token in its address: none is taken, wherever it may stand [HOOK-21]', async () => {
    const planted = 'ghp_planted1'
    for (const [repositoryURL, code] of [
      [`https://${planted}@example.test/a/b`, 'user'],
      [`https://:${planted}@example.test/a/b`, 'password'],
      [`ssh://git:${planted}@example.test/a/b`, 'password'],
      [`https://example.test/a/b?access_token=${planted}`, 'format'],
      [`https://example.test/a/b#${planted}`, 'format'],
      [`ssh://git@example.test/a/b?${planted}`, 'format'],
      [`git:${planted}@example.test:a/b`, 'format'],
      [`example.test:${planted}@b/c`, 'format'],
      ['git+ssh://git@example.test/a/b', 'format'],
    ]) {
      const answer = await org.send('POST', '/deployments', given({ repositoryURL }))
      expect(codes(answer), repositoryURL).to.deep.equal([`/repositoryURL ${code}`])
      expect(JSON.stringify(answer.body), repositoryURL).to.not.include(planted)
    }
    for (const repositoryURL of ['ssh://git@example.test/a/b', 'git@example.test:a/b', 'git://example.test/a/b'])
      expect((await make({ repositoryURL })).body.data.repositoryURL).to.equal(repositoryURL)
  })

  it('is one of a thousand at most [HOOK-13]', async () => {
    const many = await tenant()
    const spaceOfMany = await plantedSpace(many)
    await many.connections.store.rows(
      `insert into deployment (org_id, id, name, space_id, repository_url, repository_key, branch, auto_deploy, current_revision_id, created_at, updated_at)
       select $1, gen_random_uuid()::text, 'Shop', 's-1', 'x', $1 || n, 'main', true, null, now(), now() from generate_series(1, 999) as n`,
      [many.orgId],
    )
    const make = () => many.send('POST', '/deployments', given({ spaceID: spaceOfMany }))
    const [last, beyond] = [await make(), await make()]
    expect([last.status, beyond.status, beyond.body.code]).to.deep.equal([201, 422, 'too_many_deployments'])
  })

  it('runs in spaces of its own organization alone, and is seen by it alone', async () => {
    const other = await tenant()
    const answer = await other.send('POST', '/deployments', given())
    expect(codes(answer)).to.deep.equal(['/spaceID unknown'])
    const { id } = (await make()).body.data
    for (const [method, path] of [
      ['GET', `/deployments/${id}`],
      ['PATCH', `/deployments/${id}`],
      ['DELETE', `/deployments/${id}`],
      ['GET', `/deployments/${id}/revisions`],
    ] as const)
      expect((await other.send(method, path, method === 'PATCH' ? {} : undefined)).status, path).to.equal(404)
  })

  it('is found by our own services by address and branch, in any spelling [HOOK-12]', async () => {
    const path = `acme/${randomUUID()}`
    const id = await plantedDeployment(org, { url: `https://Example.test/${path}.git` })
    await plantedDeployment(org, { url: `https://example.test/${path}`, auto: false })
    await plantedDeployment(org, { url: `https://example.test/${path}`, branch: 'dev' })
    const other = await tenant()
    const theirs = await plantedDeployment(other, { url: `git@example.test:${path}.git` })
    const found = async (token: string) => {
      const query = new URLSearchParams({ repository_url: `ssh://git@example.test/${path}/`, branch: 'main' })
      const { status, body } = await ask('GET', `/internal/deployments?${query.toString()}`, { token })
      return status === 200 ? body.data.map((one: any) => one.id) : status
    }
    expect(await found(executorToken())).to.have.members([id, theirs])
    expect(await found(executorToken(org.orgId))).to.deep.equal([id])
    expect(await found(org.token)).to.equal(403)
  })
})

describe('an installation at a host', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
  })

  const number = () => Math.floor(Math.random() * 1e12) + 1
  const account = { login: 'acme', html_url: 'https://github.com/acme' }
  const told = async (event: string, action: string, id: number, members: object, delivery: string = randomUUID()) => {
    const raw = JSON.stringify({ action, installation: { id, account }, ...members })
    return (await hook(raw, { event, delivery })).body.data?.result as string
  }
  const repository = (id: number, name: string) => ({ id, full_name: `acme/${name}`, private: true })
  const names = async (of: Tenant) => (await of.get('/source-repositories')).body.data.map((one: any) => one.fullName)
  const link = (of: Tenant, installationID: number | string, claimed: string | null = 'acme') =>
    of.send('POST', '/source-installations', { installationID, ...(claimed !== null && { account: claimed }) })

  it('shows the organization that linked it what it can see, as its host told last [HOOK-11]', async () => {
    const id = number()
    const first = await told('installation', 'created', id, {
      repositories: [repository(1, 'shop'), repository(2, 'api')],
    })
    expect(first).to.equal('accepted')
    expect(await names(org)).to.deep.equal([])
    const linked = await link(org, String(id))
    expect([linked.status, linked.body.data]).to.deep.equal([201, { installationID: String(id), status: 'linked' }])
    expect((await org.get('/source-repositories')).body.data).to.deep.equal([
      { id: '2', fullName: 'acme/api', url: 'https://github.com/acme/api' },
      { id: '1', fullName: 'acme/shop', url: 'https://github.com/acme/shop' },
    ])
    await told('installation_repositories', 'added', id, { repositories_added: [repository(3, 'docs')] })
    await told('installation_repositories', 'removed', id, { repositories_removed: [repository(1, 'shop')] })
    expect(await names(org)).to.deep.equal(['acme/api', 'acme/docs'])
    await told('installation', 'deleted', id, {})
    expect(await names(org)).to.deep.equal([])
  })

  it('is of the first organization that links it [HOOK-11]', async () => {
    const id = number()
    const other = await tenant()
    await told('installation', 'created', id, { repositories: [repository(4, 'mine')] })
    expect((await link(org, id)).status).to.equal(201)
    expect((await link(org, id)).status).to.equal(201)
    const late = await link(other, id)
    expect([late.status, late.body.code]).to.deep.equal([409, 'already_exists'])
    expect([await names(org), await names(other)]).to.deep.equal([['acme/mine'], []])
  })

  const statusOf = async (...asked: Parameters<typeof link>) => {
    const { status, body } = await link(...asked)
    return status === 201 ? body.data.status : body.code
  }

  it('goes to nobody who guesses its number: unknown, gone, and of another account wait alike [HOOK-11]', async () => {
    const other = await tenant()
    const [gone, free, old] = [number(), number(), number()] as const
    for (const id of [gone, free, old])
      await told('installation', 'created', id, { repositories: [repository(5, 'secret')] })
    await told('installation', 'deleted', gone, {})
    const earlier = "update source_delivery set heard_at = heard_at - interval '61 minutes' where installation_id = $1"
    await org.connections.store.rows(earlier, [String(old)])
    for (const [id, claimed] of [
      [number(), 'acme'],
      [gone, 'acme'],
      [free, 'acm'],
      [old, null],
    ] as const)
      expect(await statusOf(other, id, claimed), `${id} ${claimed}`).to.equal('pending')
    expect(await names(other)).to.deep.equal([])
    expect([await statusOf(other, free, 'ACME'), await statusOf(other, old)]).to.deep.equal(['linked', 'linked'])
  })

  it('may be claimed before its host tells of it: it goes to who named its account, else to the one who claimed it [HOOK-11]', async () => {
    const other = await tenant()
    const third = await tenant()
    const [named, alone, several, late] = [number(), number(), number(), number()] as const
    const waits = [
      await statusOf(other, named, null),
      await statusOf(third, named, 'Acme'),
      await statusOf(third, alone, null),
      await statusOf(other, several, null),
      await statusOf(third, several, null),
      await statusOf(other, late, null),
    ]
    expect(new Set(waits)).to.deep.equal(new Set(['pending']))
    const earlier = "update source_claim set claimed_at = claimed_at - interval '61 minutes' where installation_id = $1"
    await org.connections.store.rows(earlier, [String(late)])
    for (const [id, name] of Object.entries({
      [named]: 'named',
      [alone]: 'alone',
      [several]: 'several',
      [late]: 'late',
    }))
      await told('installation', 'created', Number(id), { repositories: [repository(7, name)] })
    expect([await names(other), await names(third)]).to.deep.equal([[], ['acme/alone', 'acme/named']])
    expect(await statusOf(other, several)).to.equal('linked')
    expect(await statusOf(third, several)).to.equal('already_exists')
    expect(await names(other)).to.deep.equal(['acme/several'])
  })

  deepIt('is waited for twenty times at once by an organization, for an hour each [HOOK-11]', async () => {
    const other = await tenant()
    for (let n = 0; n < 20; n++) expect(await statusOf(other, number())).to.equal('pending')
    expect(await statusOf(other, number())).to.equal('too_many_claims')
    const named = number()
    await told('installation', 'created', named, { repositories: [] })
    expect([await statusOf(other, named, null), await statusOf(other, named)]).to.deep.equal([
      'too_many_claims',
      'linked',
    ])
    const earlier = "update source_claim set claimed_at = claimed_at - interval '61 minutes' where org_id = $1"
    await org.connections.store.rows(earlier, [other.orgId])
    expect(await statusOf(other, number())).to.equal('pending')
  })

  it('hears each delivery once, and nothing any more once it is gone, in whatever order they come [HOOK-09] [HOOK-11]', async () => {
    const id = number()
    const members = { repositories_removed: [repository(1, 'shop')] }
    const removal = randomUUID()
    const creation = randomUUID()
    const created = { repositories: [repository(1, 'shop')] }
    expect(await told('installation', 'created', id, created, creation)).to.equal('accepted')
    await link(org, id)
    expect(await told('installation_repositories', 'removed', id, members, removal)).to.equal('accepted')
    await told('installation_repositories', 'added', id, { repositories_added: [repository(1, 'shop')] })
    const before = await names(org)
    expect(before).to.include('acme/shop')
    expect(await told('installation_repositories', 'removed', id, members, removal)).to.equal('duplicate')
    expect(await told('installation', 'created', id, { repositories: [] }, creation)).to.equal('duplicate')
    expect(await names(org)).to.deep.equal(before)
    expect(await told('installation', 'deleted', id, {})).to.equal('accepted')
    expect(await told('installation', 'created', id, created)).to.equal('ignored')
    const added = { repositories_added: [repository(1, 'shop')] }
    expect(await told('installation_repositories', 'added', id, added)).to.equal('ignored')
    expect(await names(org)).to.not.include('acme/shop')
    const early = number()
    await told('installation', 'deleted', early, {})
    expect(await told('installation', 'created', early, created)).to.equal('ignored')
    expect(await statusOf(org, early)).to.equal('pending')
  })

  it('that an operator takes from its organization is seen by it no more, and can be linked by another [HOOK-11]', async () => {
    const id = number()
    const other = await tenant()
    await told('installation', 'created', id, { repositories: [repository(6, 'lent')] })
    await link(org, id)
    const { connections } = org
    const codeOf = (orgId: string) =>
      unlink(connections, orgId, String(id)).then(
        () => 'done',
        ({ code }: { code: string }) => code,
      )
    expect([await codeOf(other.orgId), await codeOf(org.orgId), await codeOf(org.orgId)]).to.deep.equal([
      'not_found',
      'done',
      'not_found',
    ])
    expect(await names(org)).to.not.include('acme/lent')
    expect((await link(other, id)).status).to.equal(201)
    expect(await names(other)).to.deep.equal(['acme/lent'])
    const { items } = (await org.get('/security-events?type=installation_unlinked')).body.data
    expect(items.map((one: any) => [one.principal, one.detail])).to.deep.equal([
      ['operator', { installationID: String(id) }],
    ])
  })

  it('has its webhooks reach the organization that linked it, and no other that names its repositories [HOOK-07] [HOOK-11]', async () => {
    const id = number()
    const other = await tenant()
    await told('installation', 'created', id, {})
    await link(org, id)
    const url = freshUrl()
    const ours = await plantedDeployment(org, { url })
    await plantedDeployment(other, { url })
    const push = JSON.stringify({ ...(JSON.parse(pushOf(url)) as object), installation: { id } })
    const { data } = (await hook(push)).body
    expect([data.result, data.revisionIDs.length]).to.deep.equal(['accepted', 1])
    expect(await revisionsOf(org, ours)).to.have.length(1)
    const unlinked = JSON.stringify({ ...(JSON.parse(pushOf(url)) as object), installation: { id: number() } })
    expect((await hook(unlinked)).body.data).to.deep.include({ result: 'pending_link', revisionIDs: [] })
  })
})
