import { expect } from 'chai'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { type Answer, type Tenant } from '#test/harness/product.ts'
import { found, Tagged } from '#test/harness/tagged.ts'
import { deepIt } from '#test/harness/tier.ts'

const uids = ({ body }: Answer) => body.items.map((one: any) => one.resourceUid)
const isTime = (value: unknown) => typeof value === 'string' && new Date(value).toISOString() === value

describe('suggestions', () => {
  let org: Tagged & Tenant
  beforeEach(async () => void (org = await Tagged.begin()))
  const patch = (uid: string, body: object) => org.send('PATCH', `/autotagging/${encodeURIComponent(uid)}`, body)
  const post = (what: 'accept' | 'reject', resourceUid: string) =>
    org.send('POST', `/autotagging/${what}`, { resourceUid })
  const told = ({ status, body }: Answer) => [status, body.code]

  it('have exactly these fields, and are as sure as their signals [S-18] [AUTO-01] [AUTO-02] [AUTO-11] [AUTO-12] [AUTO-13] [AUTO-14] [AUTO-15] [AUTO-16] [AUTO-17] [AUTO-18] [AUTO-23] [AUTO-24] [AUTO-25]', async () => {
    await org.discover(
      found('p', { name: 'shop-prod-cluster', tags: { env: 'prod' } }),
      found('i-1', {
        name: 'shop-prod-db-1',
        type: 'aws-rds',
        tags: { env: 'prod', owner: 'ana' },
      }),
      found('i-2', { name: 'shop-dev-web' }),
      found('i-3', { name: 'x-prod-1', tags: { env: 'dev' } }),
      found('i-4', { name: 'batch', instanceType: 't3.micro' }),
      found('i-5', { name: 'shop-uat' }),
      found('i-6', { name: 'plain' }),
    )
    await org.discover(found('i-7', { name: 'a-prod', parentUID: 'p', tags: { env: 'prod' } }))
    const answer = await org.get('/autotagging')
    expect(answer.status).to.equal(200)
    const { items, ...page } = answer.body
    expect(page).to.deep.equal({ total: 7, page: 1, limit: 10, hasMore: false })
    expect(
      items.map((one: any) => [one.resourceUid, one.predictedEnv, one.predictedNoStop, one.confidence, one.extraTags]),
    ).to.deep.equal([
      ['i-7', 'prod', false, 95, {}],
      ['p', 'prod', false, 88, {}],
      ['i-1', 'prod', true, 88, { owner: 'ana' }],
      ['i-2', 'dev', false, 70, {}],
      ['i-5', 'staging', false, 70, {}],
      ['i-3', 'dev', false, 58, {}],
      ['i-4', 'dev', false, 35, {}],
    ])
    const { id, reason, createdAt, updatedAt, ...rest } = items[2]
    expect(rest).to.deep.equal({
      orgId: org.orgId,
      resourceUid: 'i-1',
      resourceName: 'shop-prod-db-1',
      resourceType: 'aws-rds',
      provider: 'aws',
      cloudAccountId: 'acct-1',
      predictedEnv: 'prod',
      predictedNoStop: true,
      extraTags: { owner: 'ana' },
      confidence: 88,
      acceptedAt: null,
      rejectedAt: null,
    })
    expect(id).to.match(/^[0-9a-f-]{36}$/)
    expect([isTime(createdAt), updatedAt]).to.deep.equal([true, createdAt])
    expect(items.every((one: any) => one.reason.length > 10)).to.equal(true)
    expect(reason).to.include('env=prod').and.to.include('name')
    expect((await org.get('/autotagging/count')).body).to.deep.equal({ count: 7 })
  })

  it('are accepted in parts, and decided once [S-18] [AUTO-03] [AUTO-27] [AUTO-28] [AUTO-29]', async () => {
    const fields = { type: 'aws-rds', tags: { owner: 'ana' } }
    const names = ['i-1', 'i-2', 'i-3', 'i-4']
    await org.discover(...names.map((uid) => found(uid, { ...fields, name: `${uid}-prod` })))
    const parts = async (uid: string, flags: object) => {
      const { status, body } = await patch(uid, { status: 'accepted', ...flags })
      const { predictedEnv, predictedNoStop, extraTags, acceptedAt, rejectedAt } = body.data
      expect([status, isTime(acceptedAt), rejectedAt]).to.deep.equal([200, true, null])
      expect(await org.suggestion(uid)).to.deep.equal(body.data)
      return [predictedEnv, predictedNoStop, extraTags]
    }
    expect(await parts('i-1', { acceptNoStop: false })).to.deep.equal(['prod', false, { owner: 'ana' }])
    expect(await parts('i-2', { acceptEnv: false, acceptNoStop: true })).to.deep.equal(['', true, { owner: 'ana' }])
    expect(await parts('i-3', { acceptOwner: false })).to.deep.equal(['prod', true, {}])
    expect(await parts('i-4', {})).to.deep.equal(['prod', true, { owner: 'ana' }])
    expect(uids(await org.get('/autotagging?status=accepted'))).to.deep.equal(names)
    for (const again of [
      patch('i-1', { status: 'accepted' }),
      patch('i-1', { status: 'rejected' }),
      post('reject', 'i-1'),
    ])
      expect(told(await again)).to.deep.equal([409, 'invalid_transition'])
    for (const body of [{}, { status: 'pending' }, { status: 'accepted', acceptEnv: 'no' }])
      expect(told(await patch('i-1', body))).to.deep.equal([400, 'validation_failed'])
    // What was decided stays, whatever is found.
    await org.discover(found('i-1', { ...fields, name: 'i-1-dev' }))
    expect((await org.suggestion('i-1')).predictedEnv).to.equal('prod')
    const { items } = (await org.get('/security-events?type=suggestion_decided')).body.data
    expect(items.map((one: any) => one.detail)).to.have.deep.members(
      names.map((resourceUID) => ({ resourceUID, cloudAccountID: 'acct-1', status: 'accepted' })),
    )
  })

  it('are found by confidence and name, and decided many at once, each for itself', async () => {
    const names = ['i-1', 'i-2', 'projects/shop/a']
    await org.discover(
      ...names.map((uid) => found(uid, { name: `${uid}-prod` })),
      found('i-7', { instanceType: 't3.micro' }),
    )
    const list = async (query: string) => uids(await org.get(`/autotagging?${query}`))
    expect(await list('search=SHOP')).to.deep.equal(['projects/shop/a'])
    expect([await list('confidence_min=50&search=i-'), await list('confidence_min=90')]).to.deep.equal([
      ['i-1', 'i-2'],
      [],
    ])
    expect((await org.get('/autotagging/count?confidence_min=50')).body).to.deep.equal({ count: 3 })
    const many = (body: object) => org.send('POST', '/autotagging/decide', body)
    await post('reject', 'i-2')
    const { decided, failed } = (await many({ status: 'accepted', resourceUids: [...names, 'i-1', 'i-9'] })).body.data
    expect(decided).to.deep.equal(['i-1', 'projects/shop/a'])
    expect(failed.map((one: any) => [one.resourceUid, one.code]).toSorted()).to.deep.equal([
      ['i-2', 'invalid_transition'],
      ['i-9', 'not_found'],
    ])
    expect(await list('status=accepted')).to.deep.equal(['i-1', 'projects/shop/a'])
    const tooMany = Array.from({ length: 101 }, (_, at) => `i-${at}`)
    for (const resourceUids of [[], tooMany])
      expect(told(await many({ status: 'accepted', resourceUids }))).to.deep.equal([400, 'validation_failed'])
  })

  it('are decided by uids with slashes, in a path or in a body [AUTO-04] [AUTO-05] [AUTO-30]', async () => {
    const names = ['projects/shop/a', 'projects/shop/b', 'projects/shop/c']
    const fields = { type: 'gcp-cloudsql', provider: 'gcp' as const, name: 'orders-prod', tags: { team: 'shop' } }
    await org.discover(...names.map((uid) => found(uid, fields)))
    const accepted = (await post('accept', names[0]!)).body.data
    expect([accepted.predictedEnv, accepted.predictedNoStop, accepted.extraTags]).to.deep.equal([
      'prod',
      true,
      { owner: 'shop' },
    ])
    const rejected = await post('reject', names[1]!)
    expect([rejected.status, isTime(rejected.body.data.rejectedAt), rejected.body.data.acceptedAt]).to.deep.equal([
      200,
      true,
      null,
    ])
    expect((await patch(names[2]!, { status: 'rejected' })).status).to.equal(200)
    expect(uids(await org.get('/autotagging?status=rejected'))).to.deep.equal(names.slice(1))
    expect(uids(await org.get('/autotagging?status=accepted'))).to.deep.equal(names.slice(0, 1))
    expect(uids(await org.get('/autotagging?status=pending'))).to.deep.equal([])
    for (const unknown of [post('accept', 'none'), post('reject', 'none'), patch('none', { status: 'accepted' })])
      expect(told(await unknown)).to.deep.equal([404, 'not_found'])
  })

  it('are listed by status, by the older flag and by provider, and counted alike, which is deprecated of the flag and of size [AUTO-02] [AUTO-06] [AUTO-07] [AUTO-08] [GEN-04] [VER-01]', async () => {
    await org.discover(
      found('a', { name: 'a-prod' }),
      found('b', { name: 'b-prod' }),
      found('c', { name: 'c-prod', type: 'gcp-vm', provider: 'gcp' }),
    )
    await post('accept', 'a')
    await post('reject', 'b')
    for (const [query, ...expected] of [
      ['', 'a', 'b', 'c'],
      ['status=pending', 'c'],
      ['status=accepted', 'a'],
      ['status=rejected', 'b'],
      ['accepted=true', 'a'],
      ['accepted=false', 'c'],
      ['status=rejected&accepted=true', 'b'],
      ['provider=aws', 'a', 'b'],
      ['provider=cloud-b', 'c'],
      ['provider=gcp&status=accepted'],
    ] as const) {
      const answer = await org.get(`/autotagging?${query}`)
      expect([uids(answer), answer.body.total], query).to.deep.equal([expected, expected.length])
      expect(await org.count(`?${query}`), query).to.equal(expected.length)
    }
    const since = async (query: string) => (await org.get(`/autotagging?${query}`)).headers.get('deprecation')
    const [old, present] = [await since('accepted=true'), await since('status=accepted&limit=5')]
    expect([old, await since('size=5'), present]).to.deep.equal(['@1767225600', '@1767225600', null])
    for (const query of ['status=foo', 'provider=oracle', 'accepted=maybe', 'limit=0', 'size=x', 'page=0'])
      expect((await org.get(`/autotagging?${query}`)).status, query).to.equal(400)
  })

  it('come ten a page unless another size is wanted, by either name [S-18] [AUTO-09] [AUTO-10]', async () => {
    await org.discover(...Array.from({ length: 12 }, (_, n) => found(`i-${n}`, { name: 'x-prod' })))
    const seen = async (query: string) => {
      const { items, ...page } = (await org.get(`/autotagging?${query}`)).body
      return [items.length, page]
    }
    const page = { total: 12, page: 1, hasMore: true }
    expect(await seen('')).to.deep.equal([10, { ...page, limit: 10 }])
    expect(await seen('page=2')).to.deep.equal([2, { ...page, page: 2, limit: 10, hasMore: false }])
    expect(await seen('size=5')).to.deep.equal([5, { ...page, limit: 5 }])
    expect(await seen('size=1&page=12')).to.deep.equal([1, { ...page, page: 12, limit: 1, hasMore: false }])
    expect(await seen('limit=3&size=5')).to.deep.equal([3, { ...page, limit: 3 }])
    expect(await seen('limit=500')).to.deep.equal([12, { ...page, limit: 100, hasMore: false }])
    expect(await seen('size=500')).to.deep.equal([12, { ...page, limit: 100, hasMore: false }])
  })

  it('that are hardly sure are there for administrators alone, also to be decided [AUTO-25] [RBAC-05]', async () => {
    await org.discover(found('i-1', { name: 'x-prod' }), found('i-2', { name: 'batch', instanceType: 't3.micro' }))
    const viewer = await org.tokenFor('viewer')
    const editor = await org.tokenFor('editor')
    for (const [role, token, ...expected] of [
      ['viewer', viewer, 'i-1'],
      ['editor', editor, 'i-1'],
      ['admin', await org.tokenFor('admin'), 'i-1', 'i-2'],
      ['owner', org.token, 'i-1', 'i-2'],
    ] as const) {
      const answer = await ask('GET', '/autotagging', { token })
      const { body } = await ask('GET', '/autotagging/count', { token })
      expect([uids(answer), answer.body.total, body.count], role).to.deep.equal([
        expected,
        expected.length,
        expected.length,
      ])
    }
    for (const [method, path, body] of [
      ['PATCH', '/autotagging/i-2', { status: 'accepted' }],
      ['POST', '/autotagging/accept', { resourceUid: 'i-2' }],
      ['POST', '/autotagging/reject', { resourceUid: 'i-2' }],
    ] as const)
      expect(told(await ask(method, path, { token: editor, body })), path).to.deep.equal([404, 'not_found'])
    expect((await org.suggestion('i-2')).rejectedAt).to.equal(null)
    const refused = await ask('PATCH', '/autotagging/i-1', { token: viewer, body: { status: 'accepted' } })
    expect(refused.status).to.equal(403)
  })

  deepIt('of one uid in two accounts are that of the account seen last, and decided there', async () => {
    await org.discover(found('i-1', { name: 'x-prod' }))
    await org.discover(found('i-1', { name: 'x-dev', cloudAccountId: 'acct-2' }))
    const shown = async () => (await org.get('/autotagging')).body.items.map((one: any) => one.cloudAccountId)
    expect([await shown(), await org.count()]).to.deep.equal([['acct-2'], 1])
    expect((await post('accept', 'i-1')).body.data).to.deep.include({ cloudAccountId: 'acct-2', predictedEnv: 'dev' })
    await org.discover(found('i-1', { name: 'x-prod' }))
    expect(await shown()).to.deep.equal(['acct-1'])
    expect(await org.count('?status=pending')).to.equal(1)
  })

  it('are those of the accounts and teams that a role sees, which decides on those of its teams [RBAC-04]', async () => {
    await org.discover(
      found('i-1', { name: 'a-prod' }),
      found('i-2', { name: 'b-prod', cloudAccountId: 'acct-2' }),
      found('i-3', { name: 'c-prod', cloudAccountId: 'acct-3' }),
    )
    const team = (await org.send('POST', '/teams', { name: 'Core' })).body.data.id as string
    await org.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-3'] })
    const reportScope = { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [team] }
    const permissions = ['service.view', 'service.update']
    const role = (await org.send('POST', '/roles', { name: 'Narrow', permissions, reportScope })).body.data.id as string
    const { accessToken: token } = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, role)
    expect(uids(await ask('GET', '/autotagging', { token }))).to.deep.equal(['i-1', 'i-3'])
    expect((await ask('GET', '/autotagging/count', { token })).body).to.deep.equal({ count: 2 })
    const accept = (resourceUid: string) => ask('POST', '/autotagging/accept', { token, body: { resourceUid } })
    expect([(await accept('i-2')).status, (await accept('i-3')).status]).to.deep.equal([404, 200])
    // It would bring shared costs of others with it if a rule moved it to the team.
    const { status, body } = await accept('i-1')
    expect([status, body.code]).to.deep.equal([403, 'report_scope'])
  })
})
