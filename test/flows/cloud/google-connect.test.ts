/** A project of Google Cloud that is connected, and what stays of it when a part of it cannot be seen, through the whole product. */
import { expect } from 'chai'
import { connect } from '#test/harness/connected.ts'
import { resetClock } from '#test/harness/people.ts'
import { ownClouds, tenant, until, type Tenant } from '#test/harness/product.ts'
import { denied, serviceAccount, type Answer, type Question } from '#test/streams/cloud/gcp/far-google.ts'
import { everything, world } from '#test/streams/cloud/gcp/world.ts'
import { deepDescribe } from '#test/harness/tier.ts'
import { account, beside, project, refusals, type Google } from './google.ts'

/** As Google answers, but for the address of the cluster: what runs in it is left out. */
function still(question: Question): Answer {
  const answer = world(question)
  if (!question.path.endsWith('/locations/-/clusters')) return answer
  const { clusters } = answer.body as { clusters: object[] }
  return { body: { clusters: clusters.map((one) => ({ ...one, endpoint: undefined })) } }
}

/** All permissions given but these. */
const testing = ({ body }: Question, missing: readonly string[]): Answer => ({
  body: { permissions: (body.permissions as string[]).filter((one) => !missing.includes(one)) },
})
/** A folder that holds this project, and one more folder with another. */
function organization({ path, query }: Question, state: string): Answer | undefined {
  const isOuter = query.get('parent') === 'folders/1'
  if (path === '/v3/folders') return { body: isOuter ? { folders: [{ name: 'folders/2', displayName: 'Test' }] } : {} }
  if (path !== '/v3/projects') return undefined
  const own = { projectId: project, displayName: 'Shop', state: 'ACTIVE' }
  const other = { projectId: 'shop-test', displayName: 'Shop test', labels: { env: 'test' }, state }
  return { body: { projects: [isOuter ? own : other] } }
}

const isTest = ({ path }: Question) => path.endsWith(':testIamPermissions')
const isList = ({ path }: Question, what: string) => path.endsWith(`/aggregated/${what}`)

// In `npm test` test/flows/cloud/google-switch.test.ts connects one, and test/streams/cloud looks through it.
deepDescribe('a project of Google Cloud that is connected', () => {
  let org: Google
  let missing: string[] = []
  let state = 'ACTIVE'
  before(async () => {
    const { weather, end } = await beside((question) =>
      isTest(question) ? testing(question, missing) : (organization(question, state) ?? still(question)),
    )
    org = Object.assign(await connect(await tenant(), account, end), { weather })
    await until('all of it', async () => (await uids()).length === everything().size)
  })
  afterEach(() => {
    org.weather.calm()
    missing = []
  })
  after(async () => {
    await org.end()
    await resetClock()
  })
  const uids = async () => (await org.resources()).map(({ uid }) => uid as string)
  const all = [...everything().keys()].toSorted()
  const there = async () => (await uids()).toSorted()

  it('says that it is asked as it is and may be changed, and shows what there is, once each', async () => {
    expect(await org.account()).to.include({
      driver: 'real',
      status: 'connected',
      permissionVerdict: 'read_write',
      externalID: project,
    })
    expect(await there()).to.deep.equal(all)
    const shown = JSON.stringify([await org.account(), await org.data('/cloud-accounts')])
    expect(shown).to.not.contain('PRIVATE KEY')
  })

  it('connects the projects of a folder with it, and changes nothing while a part of the folder is refused [G-116]', async () => {
    const path = `/cloud-accounts/${(await org.account())['id']}`
    const parentless = await org.send('PATCH', path, { organization: {} })
    expect([parentless.status, parentless.body.errors?.[0]?.name ?? parentless.body]).to.deep.equal([
      400,
      '/organization/parent',
    ])
    const body = { organization: { parent: 'folders/1' } }
    const { connect: wanted, left } = (await org.send('POST', `${path}/organization/preview`, body)).body.data
    expect([wanted, left]).to.deep.equal([
      [{ externalID: 'shop-test', name: 'Shop test', path: '/Test' }],
      [{ externalID: project, name: 'Shop', path: '/', reason: 'own' }],
    ])
    expect((await org.send('PATCH', path, body)).status).to.equal(200)
    const other = async () =>
      (await org.get('/cloud-accounts')).body.data.items.find((one: any) => one.externalID === 'shop-test')
    await until('the other project is connected', async () => (await other())?.status === 'connected')
    expect((await other()).membership).to.include({ path: '/Test', status: 'active', isManaged: true })
    expect((await other()).membership.tags).to.deep.equal({ env: 'test' })

    const look = () => org.send('POST', '/internal/jobs/organization-sync/run', { orgId: org.orgId })
    const message = async () => ((await org.account()) as any).organization.message
    org.weather.instead = (question) =>
      question.path === '/v3/projects' && question.query.get('parent') === 'folders/2'
        ? denied('resourcemanager.projects.list')
        : undefined
    await look()
    await until('the refusal is shown', async () => (await message())?.includes('resourcemanager.projects.list'))
    expect([(await other()).status, (await org.account())['status']]).to.deep.equal(['connected', 'connected'])

    org.weather.calm()
    state = 'DELETE_REQUESTED'
    await look()
    await until('the other project is disabled', async () => (await other()).status === 'disabled')
    expect([await message(), (await other()).membership.status]).to.deep.equal([undefined, 'suspended'])
  })

  it('loses nothing when the third of seven pages fails, and says what could not be seen', async () => {
    org.weather.instead = (question) =>
      isList(question, 'instances') && question.query.get('pageToken') === '2' ? refusals.away : undefined
    expect((await org.scan()).status).to.equal('completed')
    expect(await there()).to.deep.equal(all)
    const { message, status } = await org.account()
    expect([status, message]).to.deep.equal([
      'connected',
      'Compute Engine VM could not be discovered: compute compute.instances.list: backendError.',
    ])
  })

  it('loses nothing in a region that does not answer', async () => {
    org.weather.instead = (question) => {
      if (!isList(question, 'disks')) return undefined
      const { items, ...rest } = world(question).body as { items: Record<string, object> }
      const unreachable = { warning: { code: 'UNREACHABLE', message: 'away' } }
      return { body: { ...rest, items: { ...items, 'zones/us-east1-c': unreachable } } }
    }
    await org.scan()
    expect(await there()).to.deep.equal(all)
    expect((await org.account()).message).to.match(/could not be discovered in us-east1: Google did not respond\.$/)
  })

  it('is degraded by a permission that is lost midway, names it, loses nothing, and is connected once it has it again', async () => {
    missing = ['compute.instances.list']
    org.weather.instead = (question) =>
      isList(question, 'instances') && question.query.get('pageToken') === '2'
        ? denied('compute.instances.list')
        : undefined
    expect((await org.scan()).status).to.equal('completed')
    expect(await there()).to.deep.equal(all)
    const { status, missingPermissions, message } = await org.account()
    expect([status, missingPermissions]).to.deep.equal(['degraded', ['compute.instances.list']])
    expect(message).to.contain('the service account is missing the permission compute.instances.list')
    const { permissions } = await org.done('POST', `/cloud-accounts/${org.accountId}/check`)
    expect(permissions[0]).to.include({ name: 'compute.instances.list', state: 'missing' })
    org.weather.calm()
    missing = []
    await org.scan()
    await org.done('POST', `/cloud-accounts/${org.accountId}/verify`)
    await until('its permission', async () => (await org.account()).status === 'connected')
    expect(await there()).to.deep.equal(all)
  })

  it('deletes what a whole scan does not find any more, and that alone', async () => {
    const gone = `projects/${project}/zones/us-east1-c/disks/web-3-1`
    org.weather.instead = (question) => {
      if (!isList(question, 'disks')) return undefined
      const text = JSON.stringify(world(question).body)
      const body = JSON.parse(text) as { items: Record<string, { disks?: { name: string }[] }> }
      const zone = body.items['zones/us-east1-c']!
      zone.disks = zone.disks!.filter(({ name }) => name !== 'web-3-1')
      return { body }
    }
    await org.scan()
    const left = all.filter((uid) => uid !== gone)
    await until('what is left', async () => (await uids()).length === left.length)
    expect(await there()).to.deep.equal(left)
  })
})

deepDescribe('a project of Google Cloud that is asked with little patience', () => {
  it('is not asked more often again than its budget allows, however much fails', async () => {
    const answer = (question: Question) => (isTest(question) ? testing(question, []) : still(question))
    const { weather, end } = await beside(answer, { budgetMin: 10, budgetShare: 0.1 })
    const org = await connect(await tenant(), account, end)
    const from = weather.asked.length
    let count = 0
    weather.isAway = () => count++ % 5 < 3
    await org.scan()
    expect(weather.asked.slice(from).filter(({ fate }) => fate === 'away').length).to.be.above(12)
    // A tenth of what was asked in this minute, which is all of it, and ten at least.
    expect(weather.repeats(from)).to.be.within(10, Math.max(10, Math.ceil(weather.asked.length * 0.1)))
    await org.end()
  })
})

describe('credentials of Google Cloud that lead elsewhere', () => {
  let org: Tenant
  let end: () => Promise<void>
  let asked: () => number
  before(async () => {
    org = await tenant()
    const { far, end: ended } = await beside(() => ({}))
    end = ended
    asked = () => far.asked.length + far.tokens.length
  })
  after(async () => {
    await end()
    ownClouds.delete(project)
  })

  it('are refused by their names, before anything is asked', async () => {
    const pool = '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool-1/providers/prov-1'
    const federated = {
      type: 'external_account',
      audience: pool,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    }
    const key = (more: object) => ({ serviceAccount: JSON.stringify({ ...serviceAccount, ...more }) })
    const identity = (more: object) => ({ workloadIdentity: { ...federated, ...more } })
    for (const [credentials, name] of [
      [key({ token_uri: 'https://169.254.169.254/token' }), '/credentials/serviceAccount/token_uri'],
      [key({ universe_domain: 'evil.example' }), '/credentials/serviceAccount/universe_domain'],
      [key({ private_key: 'file:///etc/passwd' }), '/credentials/serviceAccount/private_key'],
      [key({ credential_source: { file: '/etc/passwd' } }), '/credentials/serviceAccount/credential_source'],
      [
        identity({ credential_source: { executable: { command: '/bin/sh' } } }),
        '/credentials/workloadIdentity/credential_source',
      ],
      [identity({ token_url: 'https://sts.evil.example/v1/token' }), '/credentials/workloadIdentity/token_url'],
      [identity({ audience: '//evil.example/x' }), '/credentials/workloadIdentity/audience'],
    ] as const) {
      const answer = await org.send('POST', '/cloud-accounts', { ...account, credentials })
      const names = answer.body.errors?.map((one: any) => one.name as string)
      expect([answer.status, names], JSON.stringify(credentials).slice(0, 80)).to.deep.equal([400, [name]])
    }
    expect(asked()).to.equal(0)
    expect((await org.get('/cloud-accounts')).body.data.items).to.deep.equal([])
  })
})
